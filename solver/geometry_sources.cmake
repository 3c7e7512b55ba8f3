# The sources of shapes, terrain and contact detection.
set(TALUS_SOLVER_GEOMETRY_SOURCES
    shape.c
    shape_check.c
    shape_topology.c
    terrain.c
    broad_phase.c
    manifold.c
    narrow_distance.c
    narrow_phase.c
    narrow_sphere.c
    narrow_ground.c
    ground_feet.c
    ground_ridges.c
    collide.c)
