# SPDX-License-Identifier: GPL-3.0-or-later
"""A real cube, thrown and tracked by cameras (ContactNets: Pfrommer, Halm, Posa 2020), against a run from the first
frame. Needs the record: TALUS_TEST_DATA/cube-tosses. toss.py [NUMBER OF THE TOSS]"""

import glob
import json
import os
import sys

import numpy as np
import picture

import talus
from talus import shapes

folder = os.path.join(os.environ.get("TALUS_TEST_DATA", ""), "cube-tosses")
if not os.path.isdir(folder):
    sys.exit("SKIPPED: the record of the tosses is not here; set TALUS_TEST_DATA")
with open(os.path.join(folder, "experiment.json"), encoding="utf-8") as file:
    experiment = json.load(file)
wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 11
rows = np.concatenate([np.loadtxt(path, delimiter=",", skiprows=1) for path in
                       sorted(glob.glob(os.path.join(folder, "tosses-*.csv")))])
track = rows[rows[:, 0] == wanted]

# Lengths are half widths of the cube: its edges are 2.
scene = talus.Scene(dt_s=experiment["dt"] / 4, gravity_mps2=(0, 0, -experiment["g"]), law="coulomb", friction=experiment["mu"],
                    restitution=experiment["restitution"])
scene.terrain([(-90, -90, 0), (90, -90, 0), (90, 90, 0), (-90, 90, 0)], [(0, 1, 2), (0, 2, 3)])
first = track[0]
turn = first[6:10] / np.linalg.norm(first[6:10])
cube = scene.box((2, 2, 2), first[3:6], turn, density=experiment["mass"] / 8, velocity=first[10:13],
                 spin=shapes.rotation(turn) @ first[13:16])
path = [scene.position[0].copy()]
for _ in range(len(track) - 1):
    scene.step(4)
    path.append(scene.position[0].copy())
path, time = np.array(path), np.arange(len(track)) * experiment["dt"]
print(f"toss {wanted}: after {time[-1]:.2f} s the cube is {np.linalg.norm(path[-1] - track[-1, 3:6]) / 2:.2f} of its "
      f"width from where the cameras saw it")
curves = [(time, track[:, 3 + k] / 2, f"{'xyz'[k]}, cameras") for k in (0, 2)]
curves += [(time, path[:, k] / 2, f"{'xyz'[k]}, talus", "5 3") for k in (0, 2)]
picture.plot("toss", curves, "time, s", "centre, cube widths", f"A tracked cube, toss {wanted}")
