# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for ParaView: polygons in a legacy VTK file."""

import functools
import os

import numpy as np


@functools.lru_cache(maxsize=1)
def ball(rings=8):
    """A unit sphere of quadrilaterals and two fans."""
    turns = 2 * rings
    polar = np.linspace(0, np.pi, rings + 1)[1:-1]
    around = np.arange(turns) * 2 * np.pi / turns
    body = [(np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)) for p in polar for a in around]
    vertices = np.array([(0, 0, 1), *body, (0, 0, -1)])
    last, faces = len(vertices) - 1, []
    for a in range(turns):
        b = (a + 1) % turns
        faces.append((0, 1 + a, 1 + b))
        for ring in range(rings - 2):
            first = 1 + ring * turns
            faces.append((first + a, first + turns + a, first + turns + b, first + b))
        faces.append((last, last - turns + b, last - turns + a))
    return vertices, faces


def write(path, scene):
    """Written aside and renamed: a file under its name is complete."""
    points, faces, owner, first = [], [], [], 0
    for b in range(scene.body_count):
        vertices, loops = scene.polygons(b)
        points.append(vertices)
        faces += [[v + first for v in loop] for loop in loops]
        owner += [b] * len(loops)
        first += len(vertices)
    owner = np.array(owner, dtype=int)
    speed, mass = np.linalg.norm(scene.velocity, axis=1)[owner], scene.mass[owner]
    part = os.fspath(path) + ".part"
    with open(part, "w", encoding="ascii") as file:
        file.write(f"# vtk DataFile Version 3.0\ntalus at {scene.time!r} s\nASCII\nDATASET POLYDATA\n")
        file.write(f"POINTS {first} double\n")
        np.savetxt(file, np.concatenate(points), "%.17g")
        file.write(f"POLYGONS {len(faces)} {sum(len(f) + 1 for f in faces)}\n")
        file.writelines(f"{len(f)} {' '.join(map(str, f))}\n" for f in faces)
        file.write(f"CELL_DATA {len(faces)}\n")
        for name, kind, values in (("body", "int", owner), ("speed_mps", "double", speed), ("mass_kg", "double", mass)):
            file.write(f"SCALARS {name} {kind} 1\nLOOKUP_TABLE default\n")
            np.savetxt(file, values, "%d" if kind == "int" else "%.17g")
    os.replace(part, path)
