#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runout, H/L and area of simulated rock avalanches: avalanche.py OUT... prints a line for each folder of results.

Runout is the level distance from the highest cell of the source to the farthest cell of the largest part of the deposit, as
published ones are; scores.json measures along the flow line, which bends. Published areas are those of the whole path, so
the area over which rock passed is given beside that of the deposit."""
import math
import subprocess
import sys

THICKNESS_MIN_M = 0.5


def read_raster(path):
    """Rows of numbers (NaN without data) and the cell size."""
    text = subprocess.run(["gdal_translate", "-q", "-b", "1", "-of", "AAIGrid", path, "/vsistdout/"],
                          capture_output=True, text=True, check=True).stdout
    head, rows = {}, []
    for line in text.splitlines():
        word = line.split()
        if len(word) == 2 and word[0].lower() != "nan" and word[0][0].isalpha():
            head[word[0].lower()] = float(word[1])
        elif len(word) > 2 and len(word) == head.get("ncols"):
            rows.append([float(value) for value in word])
    missing = head.get("nodata_value", math.nan)
    return [[math.nan if value == missing else value for value in row] for row in rows], head["cellsize"]


def largest_part(mask):
    """Cells of the largest connected part, diagonals included."""
    seen, best = set(), []
    for start in mask:
        if start in seen:
            continue
        seen.add(start)
        part, ahead = [], [start]
        while ahead:
            row, column = ahead.pop()
            part.append((row, column))
            for cell in ((row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
                if cell in mask and cell not in seen:
                    seen.add(cell)
                    ahead.append(cell)
        best = max(best, part, key=len)
    return best


def cells_above(raster, limit):
    return {(i, j) for i, row in enumerate(raster) for j, value in enumerate(row) if value > limit}


def measure(folder):
    thickness, cell = read_raster(folder + "/thickness.tif")
    before, bed, solid = (read_raster(f"{folder}/{name}.tif")[0] for name in ("before", "bed", "solid"))
    passed = len(cells_above(read_raster(folder + "/passages.tif")[0], 0.0)) * cell ** 2 / 1e6
    source = cells_above(read_raster(folder + "/source.tif")[0], 0.0)
    deposit = cells_above(thickness, THICKNESS_MIN_M)
    part = largest_part(deposit)
    top = max((before[i][j], i, j) for i, j in source if not math.isnan(before[i][j]))
    runout, row, column = max((cell * math.hypot(i - top[1], j - top[2]), i, j) for i, j in part)
    rock = cells_above(solid, 0.0)
    left = sum(solid[i][j] for i, j in rock & source) / sum(solid[i][j] for i, j in rock)
    print(f"{folder}: runout {runout:.0f} m, H/L {(top[0] - bed[row][column]) / runout:.3f}, area "
          f"{len(part) * cell ** 2 / 1e6:.2f} km2 ({len(deposit) * cell ** 2 / 1e6:.2f} with lone parts), "
          f"{passed:.2f} km2 passed over, {100 * left:.0f} % of the rock still on the source")


for name in sys.argv[1:]:
    measure(name)
