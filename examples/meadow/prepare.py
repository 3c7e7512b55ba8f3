#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A site of talus from the single rocks of Tschamut (2014).

    prepare.py DATA RUNS GROUND OUT

DATA is the folder of the prepared experiment (terrain.asc, release_points.csv, observed_deposition.csv,
block_metadata.csv), RUNS which of its runs are taken (odd, even, all), GROUND a file with the sections of
contact and ground, OUT the folder that is made: terrain, release points, stops, the three rocks, and
site.ini, ready for `make run SITE=OUT/site.ini`.
"""
import csv
import itertools
import json
import os
import sys

DENSITY = 2650.0
FILLED = 43 / 81  # share of its box that the chamfered cube fills
SURVEYED_FROM = 130.0  # m north; farther south the grid is a plane of 26 degrees that no survey point supports
TAKEN = {"odd": slice(0, None, 2), "even": slice(1, None, 2), "all": slice(None)}

SITE = """# Made by prepare.py: {runs} runs of Tschamut.
[site]
before = terrain.asc
crs = local

[ingest]
cell_m = 5
ground = none

[mesh]
mesh_error_m = 0.05
blocks = import
import = {rocks}
density_kg_m3 = {density:.0f}

[release]
rocks = 1000
from = releases.geojson
height_m = uniform 0 0.3
speed_mps = uniform 0 1.2
direction_deg = uniform 0 360

[solve]
dt_s = 0.0025

[report]
title = Tschamut, {runs} runs
stops = stops.csv

"""


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_terrain(path, to):
    """The grid without its rows south of SURVEYED_FROM."""
    with open(path, encoding="utf-8") as file:
        head = dict(next(file).split() for _ in range(6))
        rows = [line for line in file if line.strip()]
    south, cell = float(head["yllcorner"]), float(head["cellsize"])
    kept = len(rows) - round((SURVEYED_FROM - south) / cell)
    head["nrows"], head["yllcorner"] = str(kept), str(SURVEYED_FROM)
    with open(to, "w", encoding="utf-8") as file:
        file.writelines([f"{key} {value}\n" for key, value in head.items()] + rows[:kept])


def faces():
    """Faces of the chamfered cube, as the signs and the long axis of their corners."""
    corner = [(axis, sign) for axis in range(3) for sign in itertools.product((-1, 1), repeat=3)]
    place = [[(3 if k == axis else 1) * s for k, s in enumerate(sign)] for axis, sign in corner]
    normals = [n for n in itertools.product((-1, 0, 1), repeat=3) if any(n)]
    for n in normals:
        height = [sum(a * b for a, b in zip(n, p)) for p in place]
        yield n, place, [k for k, h in enumerate(height) if h == max(height)]


def around(n, place, face):
    """The corners of a face in their order, counter-clockwise as seen from outside."""
    def left(a, b, c):
        u = [y - x for x, y in zip(place[a], place[b])]
        v = [y - x for x, y in zip(place[a], place[c])]
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        return sum(x * y for x, y in zip(cross, n)) > 0
    ring = [face[0]]
    while len(ring) < len(face):
        rest = [k for k in face if k not in ring]
        ring.append(next(k for k in rest if all(j == k or left(ring[-1], k, j) for j in face
                                                if j != ring[-1])))
    return ring


def write_rock(path, edges, mass):
    """The chamfered cube of barrier tests, stretched to the edges of a rock, with its volume."""
    scale = (mass / DENSITY / (FILLED * edges[0] * edges[1] * edges[2])) ** (1 / 3) / 6
    with open(path, "w", encoding="utf-8") as file:
        for first, (n, place, face) in enumerate(faces()):
            if first == 0:
                for p in place:
                    file.write("v " + " ".join(f"{scale * e * c:.6f}" for e, c in zip(edges, p)) + "\n")
            file.write("f " + " ".join(str(k + 1) for k in around(n, place, face)) + "\n")


def main(data, runs, ground, out):
    os.makedirs(out, exist_ok=True)
    write_terrain(os.path.join(data, "terrain.asc"), os.path.join(out, "terrain.asc"))
    rocks = table(os.path.join(data, "block_metadata.csv"))
    for rock in rocks:
        write_rock(os.path.join(out, f"rock{rock['block_id']}.obj"),
                   [float(rock[f"size_{axis}_m"]) for axis in "xyz"], float(rock["mass_kg"]))
    releases = table(os.path.join(data, "release_points.csv"))[TAKEN[runs]]
    with open(os.path.join(out, "releases.geojson"), "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {}, "geometry":
             {"type": "Point", "coordinates": [float(r["x_m"]), float(r["y_m"])]}}
            for r in releases]}, file, indent=1)
    stops = table(os.path.join(data, "observed_deposition.csv"))[TAKEN[runs]]
    with open(os.path.join(out, "stops.csv"), "w", encoding="utf-8") as file:
        file.write("x,y\n" + "".join(f"{s['x_m']},{s['y_m']}\n" for s in stops))
    with open(os.path.join(out, "site.ini"), "w", encoding="utf-8") as file, \
            open(ground, encoding="utf-8") as laws:
        names = "\n    ".join(f"rock{rock['block_id']}.obj" for rock in rocks)
        file.write(SITE.format(runs=runs, rocks=names, density=DENSITY) + laws.read())


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[2] not in TAKEN:
        sys.exit(__doc__)
    main(*sys.argv[1:])
