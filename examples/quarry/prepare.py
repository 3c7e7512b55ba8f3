#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A site of talus from the rockfall tests in the quarry of Authume.

    prepare.py DATA PROFILE GROUND OUT

DATA is the folder of the experiment (Endpoints_PROFILE.txt, positions_PROFILE.xyz, Geometries), PROFILE its
profile (P1, P2), GROUND a file with the sections of contact and ground, OUT the folder that is made:
terrain, zones, drop points, stops, and site.ini, ready for `make run SITE=OUT/site.ini`. The experiment has
y up; here east is its x, north its -z, height its y.
"""
import json
import math
import os
import sys

CELL = 0.5  # m; the triangles of the terrain have edges of about 2 m
DENSITY = 2600.0
ZONES = ("Blue", "Gray", "Red")


def numbers(path, least):
    """Rows of at least so many numbers of a text file; its first line may be a header."""
    rows = []
    if not os.path.exists(path):
        sys.exit(f"{path} does not exist: it belongs to the data of that profile")
    with open(path, encoding="utf-8") as file:
        for count, line in enumerate(file, 1):
            words = line.replace(",", " ").replace(";", " ").split()
            try:
                row = [float(word) for word in words]
            except ValueError:
                row = []
            if len(row) >= least:
                rows.append(row)
            elif words and count > 1:
                sys.exit(f"{path}:{count}: '{line.strip()}' is no row of {least} numbers")
    if not rows:
        sys.exit(f"{path} holds no row of {least} numbers")
    return rows


def turned(p):
    return (p[0], -p[2], p[1])


def triangles(path):
    corner = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            word = line.split()
            if word[:1] == ["vertex"]:
                corner.append(turned([float(w) for w in word[1:4]]))
    return [corner[k:k + 3] for k in range(0, len(corner), 3)]


def paint(grid, zone, t, value):
    """Heights of the triangle t at the centres of the cells inside it; of two, the upper one counts."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = t
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if area == 0.0:
        return
    rows = range(grid.row(min(ay, by, cy)), grid.row(max(ay, by, cy)) + 1)
    columns = range(grid.column(min(ax, bx, cx)), grid.column(max(ax, bx, cx)) + 1)
    for j in rows:
        for i in columns:
            x, y = grid.west + (i + 0.5) * CELL, grid.south + (j + 0.5) * CELL
            v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
            w = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
            z = az + v * (bz - az) + w * (cz - az)
            if min(v, w, 1.0 - v - w) >= -1e-9 and z > grid.height.get((i, j), -math.inf):
                grid.height[i, j] = z
                zone[i, j] = value


class Grid:
    def __init__(self, all_triangles):
        x = [c[0] for t in all_triangles for c in t]
        y = [c[1] for t in all_triangles for c in t]
        self.west, self.south = math.floor(min(x)), math.floor(min(y))
        self.columns = math.ceil((max(x) - self.west) / CELL)
        self.rows = math.ceil((max(y) - self.south) / CELL)
        self.height = {}

    def column(self, x):
        return min(max(int((x - self.west) / CELL), 0), self.columns - 1)

    def row(self, y):
        return min(max(int((y - self.south) / CELL), 0), self.rows - 1)

    def write(self, path, cells, form):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"ncols {self.columns}\nnrows {self.rows}\nxllcorner {self.west}\n"
                       f"yllcorner {self.south}\ncellsize {CELL}\nNODATA_value -9999\n")
            for j in reversed(range(self.rows)):
                file.write(" ".join(format(cells.get((i, j), -9999), form)
                                    for i in range(self.columns)) + "\n")


def write_points(path, points):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {},
             "geometry": {"type": "Point", "coordinates": p}} for p in points]}, file, indent=1)


def size_words(masses):
    """The sizes of rocks of these masses as a lognormal distribution."""
    log = [math.log((m / DENSITY) ** (1 / 3)) for m in masses]
    mean = sum(log) / len(log)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in log) / (len(log) - 1))
    return f"lognormal {math.exp(mean):.3f} {deviation:.3f}"


SITE = """# Made by prepare.py: {profile} of the quarry of Authume.
[site]
before = terrain.asc
crs = local

[ingest]
cell_m = {cell}
ground = none

[mesh]
mesh_error_m = 0.05
ground_classes = zones.asc
ground_class_names = blue gray red
blocks = import
import = {shapes}
density_kg_m3 = {density:.0f}

[release]
rocks = 1000
from = drops.geojson
size_m = {size}

[report]
title = Authume, profile {profile}
stops = stops.csv

"""


def main(data, profile, ground, out):
    os.makedirs(out, exist_ok=True)
    folder = os.path.join(os.path.abspath(data), "Geometries", "STL")
    zones = [triangles(os.path.join(folder, f"DTM_{name}_zone.stl")) for name in ZONES]
    grid, zone = Grid([t for part in zones for t in part]), {}
    for value, part in enumerate(zones, 1):
        for t in part:
            paint(grid, zone, t, value)
    grid.write(os.path.join(out, "terrain.asc"), grid.height, ".3f")
    grid.write(os.path.join(out, "zones.asc"), zone, "d")
    drops = numbers(os.path.join(data, f"positions_{profile}.xyz"), 3)
    write_points(os.path.join(out, "drops.geojson"), [turned(p) for p in drops])
    ends = numbers(os.path.join(data, f"Endpoints_{profile}.txt"), 4)
    with open(os.path.join(out, "stops.csv"), "w", encoding="utf-8") as file:
        file.write("x,y\n" + "".join(f"{e[0]},{-e[2]}\n" for e in ends))
    shapes = "\n    ".join(os.path.join(folder, name) for name in sorted(os.listdir(folder))
                           if name.startswith("SP"))
    with open(os.path.join(out, "site.ini"), "w", encoding="utf-8") as file, \
            open(ground, encoding="utf-8") as laws:
        file.write(SITE.format(profile=profile, cell=CELL, shapes=shapes, density=DENSITY,
                               size=size_words([e[3] for e in ends])) + laws.read())


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
