# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: a scene of two cubes of 1 m and 2700 kg on a square of flat ground, as the text that ncgen reads.
# `change FILE SED-COMMAND` alters one of the two files, `make_files` writes them to out/ as NetCDF.
write_terrain() {
    cat >terrain.cdl <<'CDL'
netcdf terrain {
dimensions: node = 4 ; face = 2 ; three = 3 ; class = 1 ; name = 64 ;
variables: double node_x(node) ; double node_y(node) ; double node_z(node) ;
  int face_node(face, three) ; int face_class(face) ; char class_name(class, name) ;
  :origin_east_m = 0. ; :origin_north_m = 0. ; :origin_height_m = 0. ; :mesh_error_m = 0. ;
data:
node_x = -20, 20, 20, -20 ;
node_y = -20, -20, 20, 20 ;
node_z = 0, 0, 0, 0 ;
face_node = 0, 1, 2, 0, 2, 3 ;
face_class = 0, 0 ;
class_name = "ground" ;
}
CDL
}

write_blocks() {
    cat >blocks.cdl <<'CDL'
netcdf blocks {
dimensions: block = 2 ; block_edge = 3 ; vertex = 16 ; face = 12 ; face_edge = 13 ; corner = 48 ;
  three = 3 ; four = 4 ; class = 1 ; name = 64 ;
variables: int vertex_start(block_edge) ; int face_start(block_edge) ; int corner_start(face_edge) ;
  int corner_vertex(corner) ; double vertex(vertex, three) ; double position(block, three) ;
  double orientation(block, four) ; double velocity(block, three) ;
  double angular_velocity(block, three) ; double volume(block) ; double mass(block) ;
  double inertia(block, three) ; int block_class(block) ; char class_name(class, name) ;
  :origin_east_m = 0. ; :origin_north_m = 0. ; :origin_height_m = 0. ; :mesh_error_m = 0. ;
data:
vertex_start = 0, 8, 16 ;
face_start = 0, 6, 12 ;
corner_start = 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48 ;
corner_vertex =
  0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6,
  0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6 ;
vertex =
  -0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5,
  -0.5, -0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
  -0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5,
  -0.5, -0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5 ;
position = 0, 0, 0.5, 3, 0, 0.5 ;
orientation = 1, 0, 0, 0, 1, 0, 0, 0 ;
velocity = 0, 0, 0, 0, 0, 0 ;
angular_velocity = 0, 0, 0, 0, 0, 0 ;
volume = 1, 1 ;
mass = 2700, 2700 ;
inertia = 450, 450, 450, 450, 450, 450 ;
block_class = 0, 0 ;
class_name = "rock" ;
}
CDL
}

change() { sed "$2" "$1.cdl" >changed && mv changed "$1.cdl"; }
make_files() {
    ncgen -4 -o out/terrain.nc terrain.cdl && ncgen -4 -o out/blocks.nc blocks.cdl ||
        fail "the test's own files are wrong"
}
