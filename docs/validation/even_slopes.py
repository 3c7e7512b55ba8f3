#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rock avalanches down even slopes against 49 real ones: even_slopes.py BUILD SITE [KEY=VALUE...].

The source is a dome at the top of a plane of 32 degrees that runs out onto a level valley, or one of 6 degrees. [mesh], [contact],
[pair.*] and [solve] are those of SITE (examples/avalanche/site.ini). Runout is compared with what the fall height and the volume
let one expect of Canadian rock avalanches that no valley confines (the table of PRE-RA, https://github.com/admitchell/PRE-RA):
log10 L = 1.334 + 0.134 log10 V + 0.671 log10 H, m and million m3, with a standard deviation of 0.111. Minutes of the processor."""
import math
import os
import re
import subprocess
import sys
import tempfile

SLOPE = math.tan(math.radians(32))
CASES = ((1, 450, 0, 10), (5, 600, 0, 15), (36, 760, 0, 20), (1, 450, 6, 10))  # million m3, m, degrees, cell in m


def write_raster(path, height, columns, rows, cell, west):
    with open(path, "w") as out:
        out.write(f"ncols {columns}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize {cell}\nNODATA_value -9999\n")
        for row in range(rows):
            y = (rows / 2 - row - 0.5) * cell
            out.write(" ".join(f"{height((c + 0.5) * cell - west, y):.3f}" for c in range(columns)) + "\n")


def write_site(folder, volume, fall, valley_deg, cell, given):
    """A dome whose mean thickness is a sixth of the cube root of its volume, as at Frank; the foot is rounded."""
    valley, foot, rounding = math.tan(math.radians(valley_deg)), fall / SLOPE, 0.06 * fall
    side = math.sqrt(volume / (volume ** (1 / 3) / 6))
    half = (0.5 * side * math.cos(math.atan(SLOPE)), 0.5 * side)
    top = 2 * volume / (math.pi * half[0] * half[1])

    def ground(x, _):
        d = (foot - x) / rounding
        return 1000 + valley * (foot - x) + (SLOPE - valley) * rounding * (math.log1p(math.exp(-abs(d))) + max(d, 0))

    def dome(x, y):
        return max(0.0, top * (1 - (x / half[0] - 1) ** 2 - (y / half[1]) ** 2))

    columns, rows = int((12.8 * fall + 200) / cell), int(max(4 * side, 6.4 * fall) / cell)
    write_raster(folder + "/bed.asc", ground, columns, rows, cell, 200)
    write_raster(folder + "/pile.asc", dome, columns, rows, cell, 200)
    with open(folder + "/site.ini", "w") as out:
        out.write(f"[site]\nbefore = bed.asc\ncrs = local\n[ingest]\ncell_m = {cell}\nground = none\n"
                  f"thickness = pile.asc\nthickness_is = above\n" + given)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: even_slopes.py BUILD SITE [KEY=VALUE...]")
    build, here = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
    sections = re.split(r"(?m)^(?=\[)", open(sys.argv[2]).read())
    given = "".join(s for s in sections if re.match(r"\[(mesh|contact|pair|solve)", s))
    settings = [word for pair in sys.argv[3:] for word in ("--set", pair)]
    for volume, fall, valley_deg, cell in CASES:
        with tempfile.TemporaryDirectory() as folder:
            write_site(folder, 1e6 * volume, fall, valley_deg, cell, given)
            for stage in ("ingest", "mesh", "solve", "post"):
                subprocess.run([f"{build}/bin/talus-{stage}", "site.ini", "--out", "out", "-q", *settings,
                                "--set", "report.figures=no"], cwd=folder, check=True)
            said = subprocess.run([sys.executable, here + "/avalanche.py", folder + "/out"],
                                  capture_output=True, text=True, check=True).stdout
        runout, ratio, passed = (float(re.search(p, said)[1]) for p in (r"runout ([\d.]+)", r"H/L ([\d.]+)", r"([\d.]+) km2 passed"))
        expected = 10 ** (1.334 + 0.134 * math.log10(volume) + 0.671 * math.log10(ratio * runout))
        print(f"{volume} million m3, {valley_deg} degrees: runout {runout:.0f} m ({100 * (runout / expected - 1):+.0f} %), "
              f"H/L {ratio:.3f} ({ratio - ratio * runout / expected:+.3f}), {passed:.2f} km2 passed over", flush=True)


main()
