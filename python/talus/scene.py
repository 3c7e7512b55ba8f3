# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes: bodies, ground, laws and constraints, then steps."""

import difflib
import math
import os

import numpy as np

from talus import _talus, shapes, solids, vtk
from talus.netcdf import Dataset
from talus.shapes import vector, vectors

HOLDS = {"point": 0, "direction": 1, "link": 2}
DRIVES = {None: 0, "displacement": 1, "velocity": 2, "acceleration": 3}
CHANNELS = {"displacement": 0, "velocity": 1, "kinetic": 2, "potential": 3, "reaction": 4, "tension": 5,
            "von_mises": 6}
AXES = {"x": 0, "y": 1, "z": 2}
LAW_NUMBERS = tuple(_talus.law_fields())
GROUND_NUMBERS = ("friction", "friction_max", "scar_growth_per_m", "scar_decay_per_s", "drag_per_s")
SETTINGS = ("dt_s", "gravity_mps2", "scheme", "tolerance", "iterations_max")
CONTACT = np.dtype([("body_i", "i4"), ("body_j", "i4"), ("point_m", "f8", 3), ("normal", "f8", 3),
                    ("percussion_ns", "f8", 3), ("gap_m", "f8")])
STRESS = np.dtype([("tensor_pa", "f8", (3, 3)), ("tension_pa", "f8"), ("direction", "f8", 3),
                   ("von_mises_pa", "f8"), ("place_m", "f8", 3)])
REPORT = np.dtype({"names": [f[0] for f in _talus.report_fields()],
                   "formats": [f[1] for f in _talus.report_fields()],
                   "offsets": [f[2] for f in _talus.report_fields()]})


def _number(value, name):
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} = {number} must be finite")
    return number


def _series(time, values, name, columns):
    time = np.atleast_1d(np.asarray(time, dtype=np.float64))
    values = vectors(np.reshape(values, (-1, columns)), name, columns)
    if time.ndim != 1 or len(time) != len(values):
        raise ValueError(f"{name}: {len(time)} times and {len(values)} values")
    return time, values


class Body:
    """A body of a scene, by its number."""

    def __init__(self, scene, index):
        self.scene, self.index = scene, index

    def __index__(self):
        return self.index

    def __repr__(self):
        return f"<talus body {self.index}>"

    position = property(lambda self: self.scene.position[self.index], doc="Centroid, m.")
    orientation = property(lambda self: self.scene.orientation[self.index], doc="Quaternion, scalar first.")
    velocity = property(lambda self: self.scene.velocity[self.index], doc="Of the centroid, m/s.")
    spin = property(lambda self: self.scene.spin[self.index], doc="World axes, rad/s.")
    energy = property(lambda self: self.scene.energy(self), doc="Kinetic (two parts) and potential, J.")


class Constraint:
    """A constraint of a scene, by its number."""

    def __init__(self, scene, index):
        self.scene, self.index = scene, index

    def __index__(self):
        return self.index

    @property
    def reaction(self):
        """Mean force on its first body over the last step, N."""
        return np.array(self.scene._started().reaction(self.index))


class History:
    """A few numbers of every step: history["name"] and history.time are arrays."""

    def __init__(self, state, number, names):
        self._state, self._number, self.names = state, number, ("time", *names)

    def table(self):
        """One row per recorded step, time first."""
        width = len(self.names)
        return np.frombuffer(self._state.rows(self._number, width)).reshape(-1, width)

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(f"{name}: this history has {', '.join(self.names)}")
        return self.table()[:, self.names.index(name)]

    time = property(lambda self: self["time"])


class Scene:
    """Bodies and what acts on them. Settings are those of [solve] and [contact] of a site file, by name."""

    def __init__(self, threads=1, **settings):
        self._state = None
        self._threads = threads
        self._given, self._own, self._contact = {}, _talus.settings_default(), {}
        self._gravity, self._gravity_series = None, None
        self._shapes, self._bodies, self._classes, self._solids = [], [], ["rock"], {}
        self._terrain = ([], [], [])
        self._laws, self._law_given = {}, {}
        self._prescribed, self._forces, self._constraints, self._excluded = [], [], [], []
        self._views = {}
        self.set(**settings)

    # --- settings and laws ---

    def set(self, **settings):
        """Settings by the names of the site file, and those that only the library knows."""
        self._must_not_run("set")
        contact, solve = (_talus.settings(section, "Scene", {}) for section in ("contact", "solve"))
        known = [*SETTINGS, *contact, *LAW_NUMBERS, *self._own]
        for name, value in settings.items():
            if name in solve and name not in SETTINGS:
                raise _talus.Error(f"Scene: {name} is a setting of a run, not of a scene: see run, checkpoint "
                                   "and history")
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise _talus.Error(f"Scene: {name} is not known" + (f": did you mean {near[0]}?" if near else ""))
            if name == "gravity_mps2" and np.ndim(value) == 1:
                self._gravity = vector(value, name)
            elif name in self._own:
                self._own[name] = _number(value, name)
            elif name in contact or name in LAW_NUMBERS:
                self._contact[name] = str(value)
            else:
                self._given[name] = str(value)
        faults = []
        try:
            self._solve = _talus.settings("solve", "Scene", self._given)
        except _talus.Error as fault:
            faults.append(str(fault))
        try:
            self._law_values(self._contact, "Scene")
        except _talus.Error as fault:
            faults.append(str(fault))
        if faults:
            raise _talus.Error("\n".join(faults))

    def _law_values(self, given, where):
        passes = given.get("law") == "pass"
        in_table = _talus.settings("contact", where, {})
        other = {k: v for k, v in given.items() if k not in in_table}  # what only the library knows of
        unknown = [k for k in other if k not in LAW_NUMBERS]
        if unknown:
            raise _talus.Error(f"{where}: {', '.join(unknown)} is not known")
        known = _talus.settings("contact", where, {k: v for k, v in given.items()
                                                   if k in in_table and not (passes and k == "law")})
        known = {**dict.fromkeys(LAW_NUMBERS, 0.0), **known, **{k: _number(v, k) for k, v in other.items()}}
        if known.get("ground", "none") != "none":  # a class sets what was not given: its numbers, and the law
            if known["law"] not in ("scar", "ground") and "law" in given:
                raise _talus.Error(f"{where}: a ground class needs the law ground or scar: leave law out")
            known["law"] = known["law"] if "law" in given else "ground"
            known.update({k: v for k, v in zip(GROUND_NUMBERS, _talus.grounds()[known["ground"]]) if k not in given})
        in_kg = any(name in given for name in ("kn_kg", "kt_kg"))
        ratios = [name for name in ("restitution", "tangential_restitution") if name in given]
        if in_kg and ratios:
            raise _talus.Error(f"{where}: kn_kg and kt_kg, or {' and '.join(ratios)}: not both")
        if in_kg:
            known["restitution"] = known["tangential_restitution"] = 0.0
        numbers = np.array([0.0 if math.isnan(known[name]) else known[name] for name in LAW_NUMBERS])
        return _talus.law_numbers()["pass" if passes else known["law"]], in_kg, numbers

    def law(self, surface_a, surface_b, **values):
        """The law of two surfaces, by the names of [contact]; also between steps."""
        given = dict(self._law_given.get(frozenset((surface_a, surface_b)), self._contact))
        if any(name in values for name in ("kn_kg", "kt_kg")):
            given.pop("restitution", None)
            given.pop("tangential_restitution", None)
        if any(name in values for name in ("restitution", "tangential_restitution")):
            given.pop("kn_kg", None)
            given.pop("kt_kg", None)
        given.update({name: str(value) for name, value in values.items()})
        law = self._law_values(given, f"law of {surface_a} and {surface_b}")
        if self._state is not None:
            a, b = (self._class(s, grow=False) for s in (surface_a, surface_b))
            self._state.set_law(a, b, *law[:2], law[2].tobytes())
        else:
            self._class(surface_a), self._class(surface_b)
        self._law_given[frozenset((surface_a, surface_b))] = given
        self._laws[frozenset((surface_a, surface_b))] = law

    def _class(self, name, grow=True):
        if not isinstance(name, str) or not name:
            raise TypeError(f"a surface has a name, not {name!r}")
        if name not in self._classes:
            if not grow:
                raise ValueError(f"{name} is no surface of this scene: {', '.join(self._classes)}")
            self._classes.append(name)
        return self._classes.index(name)

    def gravity(self, time_s, gravity_mps2):
        """Gravity that changes: vectors at times, linear between them."""
        self._must_not_run("gravity")
        self._gravity_series = _series(time_s, gravity_mps2, "gravity", 3)

    # --- bodies and ground ---

    def _must_not_run(self, what):
        if self._state is not None:
            raise RuntimeError(f"{what}: the scene has begun; what it is made of is given before its first step")

    def _add(self, shape, mass, inertia, position, orientation, velocity, spin, surface, fixed, box=None):
        self._must_not_run("a body")
        q = vector(orientation, "orientation", 4)
        norm = np.linalg.norm(q)
        if not norm > 0:
            raise ValueError("orientation is a quaternion, scalar first, and not zero")
        self._bodies.append(dict(shape=self._shape(shape), body_class=self._class(surface), mass=mass,
                                 inertia=inertia, position=vector(position, "position"),
                                 orientation=q if abs(norm - 1) < 1e-12 else q / norm,
                                 velocity=vector(velocity, "velocity"), spin=vector(spin, "spin"),
                                 fixed=bool(fixed), box=box, solid=-1))
        return Body(self, len(self._bodies) - 1)

    def _shape(self, shape):
        self._shapes.append(shape)
        return len(self._shapes) - 1

    def box(self, size, position=(0, 0, 0), orientation=(1, 0, 0, 0), density=2700.0, velocity=(0, 0, 0),
            spin=(0, 0, 0), surface="rock", fixed=False):
        """A box of three edge lengths."""
        a, b, c = size = vector(size, "size")
        density = _number(density, "density")
        mass = density * a * b * c
        inertia = mass / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        shape = (0.0, shapes.box_corners(size), shapes.BOX_FACES)
        return self._add(shape, mass, inertia, position, orientation, velocity, spin, surface, fixed, box=size)

    def sphere(self, radius, position=(0, 0, 0), density=2700.0, velocity=(0, 0, 0), spin=(0, 0, 0),
               surface="rock", fixed=False):
        """A ball."""
        radius, density = _number(radius, "radius"), _number(density, "density")
        mass = density * 4.0 / 3.0 * math.pi * radius ** 3
        shape = (radius, np.zeros((0, 3)), ())
        return self._add(shape, mass, np.full(3, 0.4 * mass * radius ** 2), position, (1, 0, 0, 0),
                         velocity, spin, surface, fixed)

    def polyhedron(self, vertices, faces, position=None, orientation=(1, 0, 0, 0), density=2700.0,
                   velocity=(0, 0, 0), spin=(0, 0, 0), surface="rock", fixed=False):
        """A convex polyhedron of vertices and faces, counter-clockwise seen from outside. Where `position`
        is not given, it stands where its vertices are; else its centroid goes there."""
        vertices = vectors(vertices, "vertices")
        density = _number(density, "density")
        try:
            faces = [tuple(int(v) for v in face) for face in faces]
        except (TypeError, ValueError):
            raise TypeError("faces are lists of vertex numbers") from None
        if any(not 0 <= v < len(vertices) for face in faces for v in face) or any(len(f) < 3 for f in faces):
            raise ValueError(f"faces name at least three vertices of 0 to {len(vertices) - 1}")
        if not faces:
            raise ValueError("a polyhedron needs faces")
        volume, centroid, moments = shapes.mass_properties(vertices, faces)
        inertia, axes = shapes.principal(moments)
        turn = shapes.quaternion(axes)
        place = centroid if position is None else position
        shape = (0.0, (vertices - centroid) @ shapes.rotation(turn), faces)
        return self._add(shape, density * volume, density * inertia, place,
                         shapes.multiply(vector(orientation, "orientation", 4), turn), velocity, spin,
                         surface, fixed)

    def hull(self, points, **body):
        """The convex hull of points; further arguments as for a polyhedron."""
        return self.polyhedron(*shapes.hull(points), **body)

    def deform(self, body, young, poisson=0.25, kinematics="floating-frame", element=None, damping_mass=0.0,
               damping_stiffness=0.0):
        """Lets a box or polyhedron deform: Young's modulus in Pa, damping alpha M + beta K, edges of its elements
        (a box: hexahedra, others: tetrahedra) not longer than `element` metres. A pseudo-rigid body has none."""
        self._must_not_run("deform")
        index = self._number_of(body)
        if kinematics not in solids.KINEMATICS:
            raise ValueError(f"kinematics is one of {', '.join(solids.KINEMATICS)}, not {kinematics!r}")
        b = self._bodies[index]
        shape = self._shapes[b["shape"]]
        if shape[0] > 0:
            raise ValueError("a sphere cannot deform: take the hull of points on it")
        if (element is None) != (kinematics == "pseudo-rigid"):
            raise ValueError("element is the longest edge of an element, and a pseudo-rigid body has none")
        element = 0.0 if element is None else _number(element, "element")
        if kinematics != "pseudo-rigid" and not element > 0:
            raise ValueError(f"element = {element} must be above 0")
        density = b["mass"] / abs(shapes.mass_properties(shape[1], shape[2])[0])
        numbers = (density, _number(young, "young"), _number(poisson, "poisson"),
                   _number(damping_mass, "damping_mass"), _number(damping_stiffness, "damping_stiffness"))
        key = (kinematics, numbers, element, shape[1].tobytes(), tuple(shape[2]))
        if key not in self._solids:  # bodies that are alike share their matrices
            self._solids[key] = (len(self._solids), solids.mesh(shape, b["box"], kinematics, element))
        b["solid"] = self._solids[key][0]

    def read(self, path, **body):
        """Bodies from a file: a convex mesh (OBJ, OFF, STL, PLY), or all blocks of a blocks.nc."""
        path = os.fspath(path)
        if not path.endswith(".nc"):
            return self.polyhedron(*shapes.read_mesh(path), **body)
        if body:
            raise TypeError("blocks.nc says itself what its blocks are like")
        return self._read_blocks(path)

    def _read_blocks(self, path):
        with Dataset(path) as file:
            v = {name: file[name] for name in ("vertex_start", "face_start", "corner_start", "corner_vertex",
                                               "vertex", "position", "orientation", "velocity",
                                               "angular_velocity", "mass", "inertia", "block_class")}
            names = file.words("class_name")
            origin = file.origin()
            radius = file["sphere_radius"] if "sphere_radius" in file else np.zeros(len(v["mass"]))
        bodies = []
        for b in range(len(v["mass"])):
            faces = [tuple(v["corner_vertex"][v["corner_start"][f]:v["corner_start"][f + 1]])
                     for f in range(v["face_start"][b], v["face_start"][b + 1])]
            shape = (radius[b], v["vertex"][v["vertex_start"][b]:v["vertex_start"][b + 1]], faces)
            bodies.append(self._add(shape, v["mass"][b], v["inertia"][b], v["position"][b] - origin,
                                    v["orientation"][b], v["velocity"][b], v["angular_velocity"][b],
                                    names[v["block_class"][b]], False))
        return bodies

    def terrain(self, vertices, triangles, surface="ground"):
        """Ground of triangles, counter-clockwise seen from above; `surface` for all or one each."""
        self._must_not_run("terrain")
        vertices = vectors(vertices, "vertices")
        triangles = np.array(triangles)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
            raise ValueError("triangles have three vertex numbers each")
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise ValueError(f"triangles name vertices of 0 to {len(vertices) - 1}")
        names = [surface] * len(triangles) if isinstance(surface, str) else list(surface)
        if len(names) != len(triangles):
            raise ValueError(f"{len(triangles)} triangles and {len(names)} surfaces")
        first = sum(len(part) for part in self._terrain[0])
        self._terrain[0].append(vertices)
        self._terrain[1].append(triangles + first)
        self._terrain[2].append(np.array([self._class(name) for name in names], dtype=np.int32))

    def terrain_grid(self, heights, cell, origin=(0.0, 0.0), surface="ground"):
        """Ground of a raster of heights: heights[row, column] at origin + cell * (column, row)."""
        heights = np.array(heights, dtype=np.float64)
        cell = _number(cell, "cell")
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ValueError("heights are a raster of at least two rows and columns")
        rows, columns = heights.shape
        y, x = np.mgrid[0:rows, 0:columns] * cell
        vertices = np.stack([x + origin[0], y + origin[1], heights], axis=2).reshape(-1, 3)
        a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        lower = np.stack([a, a + 1, a + columns + 1], axis=1)
        upper = np.stack([a, a + columns + 1, a + columns], axis=1)
        self.terrain(vertices, np.concatenate([lower, upper]), surface)

    def read_terrain(self, path):
        """The ground of a terrain.nc, in metres from the origin of its site."""
        with Dataset(os.fspath(path)) as file:
            vertices = np.stack([file["node_x"], file["node_y"], file["node_z"]], axis=1) - file.origin()
            names = file.words("class_name")
            self.terrain(vertices, file["face_node"], [names[k] for k in file["face_class"]])
            if not self._own["ground_overlap_max_m"]:
                self._own["ground_overlap_max_m"] = float(file.attributes["mesh_error_m"])

    # --- what acts on bodies ---

    def _number_of(self, body):
        try:
            index = body.__index__()
        except AttributeError:
            raise TypeError(f"{body!r} is no body") from None
        if not 0 <= index < len(self._bodies) or (isinstance(body, Body) and body.scene is not self):
            raise IndexError(f"body {index} does not belong to this scene of {len(self._bodies)}")
        return index

    def _local(self, index, point):
        body = self._bodies[index]
        if point is None:
            return np.zeros(3)
        return (vector(point, "point") - body["position"]) @ shapes.rotation(body["orientation"])

    def _constrain(self, hold, i, j, point_i, point_j=(0, 0, 0), direction=(0, 0, 0), drive=None, series=None,
                   least=0.0, most=0.0):
        self._must_not_run("a constraint")
        time, value = ([], []) if series is None else _series(*series, drive, 1)
        self._constraints.append(((HOLDS[hold], i, j, DRIVES[drive]),
                                  (*point_i, *point_j, *vector(direction, "direction"), least, most),
                                  time, np.ravel(value)))
        return Constraint(self, len(self._constraints) - 1)

    def fix(self, body, point=None, direction=None):
        """Holds a body: all of it, a point of it (world coordinates at the start), or a point (the centroid)
        along a direction."""
        index = self._number_of(body)
        if point is None and direction is None:
            self._must_not_run("fix")
            self._bodies[index]["fixed"] = True
            return None
        local = self._local(index, point)
        if direction is None:
            return self._constrain("point", index, -1, local)
        return self._constrain("direction", index, -1, local, direction=direction)

    def joint(self, body_a, body_b, point):
        """A point where two bodies stay together, world coordinates at the start."""
        a, b = self._number_of(body_a), self._number_of(body_b)
        return self._constrain("point", a, b, self._local(a, point), self._local(b, point))

    def link(self, body_a, body_b, point_a=None, point_b=None, length=None, gap=0.0):
        """A bar between points of two bodies (None for the second: a point in space), as long as at the start
        or `length`; with a gap it may be longer by that. A rope has length 0 and the gap that it is long."""
        a, b = self._number_of(body_a), -1 if body_b is None else self._number_of(body_b)
        gap = _number(gap, "gap")
        if length is None and gap != 0.0:
            start = self._bodies[a]["position"] if point_a is None else vector(point_a, "point_a")
            end = point_b if point_b is not None else self._bodies[b]["position"] if b >= 0 else None
            length = np.linalg.norm(start - vector(end, "point_b"))
        length = 0.0 if length is None else _number(length, "length")
        if b < 0 and point_b is None:
            raise ValueError("a link into space needs point_b")
        other = vector(point_b, "point_b") if b < 0 else self._local(b, point_b)
        return self._constrain("link", a, b, self._local(a, point_a), other, least=length,
                               most=length + gap)

    def prescribe(self, body, time_s=0.0, velocity=None, spin=None, point=None, direction=None,
                  displacement=None, acceleration=None):
        """Moves a body by series of `velocity` and `spin` (vectors), or, with a direction, only a point of it
        along that: by a series of numbers for displacement, velocity or acceleration."""
        index = self._number_of(body)
        if direction is not None:
            drives = dict(displacement=displacement, velocity=velocity, acceleration=acceleration)
            given = [name for name, value in drives.items() if value is not None]
            if len(given) != 1 or spin is not None:
                raise ValueError("one of displacement, velocity and acceleration drives a point")
            return self._constrain("direction", index, -1, self._local(index, point), direction=direction,
                                   drive=given[0], series=(time_s, drives[given[0]]))
        if displacement is not None or acceleration is not None or point is not None:
            raise ValueError("a whole body follows velocity and spin; a point needs a direction")
        self._must_not_run("prescribe")
        time = np.atleast_1d(np.asarray(time_s, dtype=np.float64))
        still = np.zeros((len(time), 3))
        velocity = still if velocity is None else _series(time, velocity, "velocity", 3)[1]
        spin = still if spin is None else _series(time, spin, "spin", 3)[1]
        self._prescribed.append((index, time, velocity, spin))
        return None

    def force(self, body, force=(0, 0, 0), torque=(0, 0, 0), point=None, start_s=0.0, end_s=math.inf):
        """A force, constant in world axes, at a point that moves with the body."""
        self._must_not_run("force")
        index = self._number_of(body)
        window = _number(start_s, "start_s"), float(end_s)
        self._forces.append((index, (*vector(force, "force"), *vector(torque, "torque"),
                                     *self._local(index, point), *window)))

    def exclude(self, body_a, body_b=None):
        """No contact between two bodies; without the second, between a body and the ground."""
        self._must_not_run("exclude")
        self._excluded.append((self._number_of(body_a), -1 if body_b is None else self._number_of(body_b)))

    # --- steps ---

    def _settings(self):
        s, own = self._solve, self._own
        gravity = (0.0, 0.0, -s["gravity_mps2"]) if self._gravity is None else tuple(self._gravity)
        return [s["dt_s"], *gravity, float(s["scheme"] == "acd2"), s["tolerance"], s["iterations_max"],
                own["impact_speed_mps"], own["correction"], own["slop"], own["overlap_max"],
                own["ground_overlap_max_m"], own["substep_max"], own["rest_steps"]]

    def _law_table(self):
        count, default = len(self._classes), self._law_values(self._contact, "Scene")
        kind = np.full((count, count), default[0], dtype=np.int32)
        in_kg = np.full((count, count), default[1], dtype=np.uint8)
        numbers = np.tile(default[2], (count, count, 1))
        for names, law in self._laws.items():
            pair = [self._classes.index(name) for name in names]
            for a, b in ((pair[0], pair[-1]), (pair[-1], pair[0])):
                kind[a, b], in_kg[a, b], numbers[a, b] = law
        return dict(law_kind=kind.ravel(), law_in_kg=in_kg.ravel(), law=numbers.reshape(-1, len(LAW_NUMBERS)))

    def _arrays(self):
        def column(rows, kind, width=None):
            array = np.array(rows, dtype=kind) if len(rows) else np.zeros((0, width or 1), dtype=kind)
            return np.ascontiguousarray(array)

        def starts(lengths):
            return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)

        def joined(parts, kind, width=None):
            return np.ascontiguousarray(np.concatenate(parts), dtype=kind) if parts else column([], kind, width)

        bodies, shape = self._bodies, self._shapes
        faces = [face for _, _, part in shape for face in part]
        arrays = dict(
            settings=column(self._settings(), "f8"),
            shape_kind=column([1 if r > 0 else 0 for r, _, _ in shape], "i4"),
            shape_radius=column([r for r, _, _ in shape], "f8"),
            shape_vertex=joined([v for _, v, _ in shape], "f8", 3),
            shape_vertex_start=starts([len(v) for _, v, _ in shape]),
            shape_face_start=starts([len(f) for _, _, f in shape]),
            loop_size=column([len(face) for face in faces], "i4"),
            loop_vertex=column([v for face in faces for v in face], "i4"),
            body_shape=column([b["shape"] for b in bodies], "i4"),
            body_class=column([b["body_class"] for b in bodies], "i4"),
            body_fixed=column([b["fixed"] for b in bodies], "u1"), **self._law_table())
        for name in ("mass", "inertia", "position", "orientation", "velocity", "spin"):
            arrays[name] = column([b[name] for b in bodies], "f8")
        if self._terrain[0]:
            arrays.update(terrain_vertex=joined(self._terrain[0], "f8"),
                          terrain_triangle=joined(self._terrain[1], "i4"),
                          terrain_class=joined(self._terrain[2], "i4"))
        if self._solids:
            mesh = [m for _, m in self._solids.values()]
            arrays.update(body_solid=column([b["solid"] for b in bodies], "i4"),
                          solid_kinematics=column([solids.KINEMATICS[k[0]] for k in self._solids], "i4"),
                          solid=column([k[1] for k in self._solids], "f8"))
            for part, name, kind in ((0, "node", "f8"), (1, "hexahedron", "i4"), (2, "tetrahedron", "i4")):
                arrays[f"solid_{name}"] = joined([m[part] for m in mesh], kind)
                arrays[f"solid_{name}_start"] = starts([len(m[part]) for m in mesh])
        if self._prescribed:
            index, time, velocity, spin = zip(*self._prescribed)
            arrays.update(prescribed_body=column(index, "i4"), prescribed_time=joined(time, "f8"),
                          prescribed_velocity=joined(velocity, "f8"), prescribed_spin=joined(spin, "f8"),
                          prescribed_start=starts([len(t) for t in time]))
        if self._forces:
            arrays.update(force_body=column([f[0] for f in self._forces], "i4"),
                          force=column([f[1] for f in self._forces], "f8"))
        if self._constraints:
            name, number, time, value = zip(*self._constraints)
            arrays.update(constraint_name=column(name, "i4"), constraint=column(number, "f8"),
                          constraint_time=joined(time, "f8"), constraint_value=joined(value, "f8"),
                          constraint_start=starts([len(t) for t in time]))
        if self._excluded:
            arrays["excluded"] = column(self._excluded, "i4")
        if self._gravity_series is not None:
            arrays.update(gravity_time=column(self._gravity_series[0], "f8"),
                          gravity=column(self._gravity_series[1], "f8"))
        return arrays

    def _started(self):
        if self._state is None:
            self._state = _talus.create(self._arrays(), int(self._threads))
        return self._state

    def start(self):
        """Checks the scene and makes it ready; the first step does so too."""
        self._started()
        return self

    def step(self, n=1):
        """So many steps."""
        self._started().step(int(n))

    def run(self, until_s, until_still=False, still_s=2.0, still_mps=0.05):
        """Steps until a time, or earlier when every body has been slower than still_mps for still_s."""
        until, dt = _number(until_s, "until_s"), self._solve["dt_s"]
        end = int(round(until / dt))
        chunk = max(1, int(round(_number(still_s, "still_s") / dt / 20))) if until_still else end
        still_since = None
        while (done := int(round(self.time / dt))) < end:
            self.step(min(chunk, end - done))
            if until_still:
                fastest = (np.linalg.norm(self.velocity, axis=1)
                           + np.linalg.norm(self.spin, axis=1) * self._radii()).max()
                still_since = None if fastest > still_mps else still_since or self.time
                if still_since is not None and self.time - still_since >= still_s:
                    break
        return self.time

    def _radii(self):
        if "radii" not in self._views:
            self._views["radii"] = np.array([r if r > 0 else np.linalg.norm(v, axis=1).max()
                                             for r, v, _ in (self._shapes[b["shape"]] for b in self._bodies)])
        return self._views["radii"]

    # --- what there is to see ---

    def _array(self, name, dtype, columns):
        if name not in self._views:
            array = np.frombuffer(self._started().array(name), dtype)
            self._views[name] = array.reshape(-1, columns) if columns else array[0:1].view(np.recarray)[0]
        return self._views[name]

    position = property(lambda self: self._array("position", "f8", 3), doc="Centroids, m: a view.")
    orientation = property(lambda self: self._array("orientation", "f8", 4), doc="Quaternions, scalar first: a view.")
    velocity = property(lambda self: self._array("velocity", "f8", 3), doc="Of centroids, m/s: a view.")
    spin = property(lambda self: self._array("spin", "f8", 3), doc="World axes, rad/s: a view.")
    report = property(lambda self: self._array("report", REPORT, 0), doc="What the last step did: a view.")
    time = property(lambda self: self._started().time(), doc="Seconds.")
    mass = property(lambda self: np.array([b["mass"] for b in self._bodies]), doc="kg.")
    body_count = property(lambda self: len(self._bodies))

    @property
    def contacts(self):
        """The contacts of the last step, at its midpoint; those of bodies at rest are not listed."""
        return np.frombuffer(self._started().contacts(), CONTACT)

    @property
    def percussions(self):
        """Of the contacts, on body i, N s."""
        return self.contacts["percussion_ns"]

    @property
    def energies(self):
        """Kinetic (translation, rotation) and potential energy of each body, J."""
        state = self._started()
        return np.array([state.energy(b) for b in range(len(self._bodies))])

    def energy(self, body):
        """The same of one body."""
        return self._started().energy(self._number_of(body))

    def point(self, body, point):
        """Place and velocity now of a point that was at `point` at the start."""
        index = self._number_of(body)
        place, velocity = self._started().point(index, tuple(self._local(index, point)))
        return np.array(place), np.array(velocity)

    def nodes(self, body):
        """Where the nodes of a body that deforms are now; none of a rigid one."""
        return np.frombuffer(self._started().nodes(self._number_of(body))).reshape(-1, 3)

    def stress(self, body):
        """Stresses of the elements of a body that deforms, world axes: tensor_pa, tension_pa (the largest principal
        stress) and its direction, von_mises_pa, place_m."""
        return np.frombuffer(self._started().stresses(self._number_of(body)), STRESS)

    def transit(self, body):
        """Time in which a pressure wave crosses a body that deforms, s: steps resolve a blow if they are several
        times shorter."""
        return self._started().transit(self._number_of(body))

    def history(self, every=1, **channels):
        """Records while it steps: name=("velocity", body, "z"[, point]), also "displacement"; ("kinetic", body),
        ("potential", body); ("reaction", constraint, "x"); ("tension", body, point), also "von_mises"."""
        rows = []
        for name, channel in channels.items():
            kind, number, *rest = channel if isinstance(channel, tuple) and len(channel) > 1 else (None, None)
            if kind not in CHANNELS:
                raise ValueError(f"{name}: a channel is one of {', '.join(CHANNELS)}, a body or constraint, an axis")
            is_stress = kind in ("tension", "von_mises")
            has_axis = kind not in ("kinetic", "potential") and not is_stress
            axis = AXES.get(rest[0] if rest else "x") if has_axis else 0
            if axis is None:
                raise ValueError(f"{name}: the axis {rest[0]!r} is not x, y or z")
            if kind == "reaction":
                index, place = number.__index__(), np.zeros(3)
            else:
                index = self._number_of(number)
                place = self._local(index, next(iter(rest[0 if is_stress else 1:]), None))
            rows.append((CHANNELS[kind], index, axis, *place))
        state = self._started()
        return History(state, state.history(rows, int(every)), list(channels))

    def hash(self):
        """A number that differs when any bit of poses, velocities or time differs."""
        return self._started().hash()

    def remove(self, body):
        """Takes a body out; there is no way back."""
        self._started().remove(self._number_of(body))

    def checkpoint(self, path):
        """The complete state in a file."""
        self._started().write(os.fspath(path))

    def resume(self, path):
        """Goes on from a checkpoint of the same scene, to the same bits."""
        self._started().read(os.fspath(path))

    def polygons(self, body):
        """Vertices of a body in the world now, and its faces; of a ball, those of a fine polyhedron."""
        index = self._number_of(body)
        radius, vertices, faces = self._shapes[self._bodies[index]["shape"]]
        if radius > 0:
            vertices, faces = vtk.ball()
            vertices = vertices * radius
        return vertices @ shapes.rotation(self.orientation[index]).T + self.position[index], faces

    def to_vtk(self, path):
        """Bodies as they stand now, with their number, speed and mass, for ParaView (legacy VTK)."""
        vtk.write(path, self)
