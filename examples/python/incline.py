# SPDX-License-Identifier: GPL-3.0-or-later
"""A block on an incline: it holds up to the friction angle and slides by the formula beyond."""

import math

import numpy as np
import picture

import talus

G, MU = 9.81, 0.5


def slide(tilt):
    scene = talus.Scene(dt_s=2e-3, gravity_mps2=(G * math.sin(tilt), 0, -G * math.cos(tilt)), law="coulomb",
                        friction=MU, restitution=0)
    scene.terrain([(-5, -5, 0), (95, -5, 0), (95, 5, 0), (-5, 5, 0)], [(0, 1, 2), (0, 2, 3)])
    block = scene.box((1, 1, 0.5), (0, 0, 0.25))
    scene.run(2.0)
    return block.position[0]


angles = np.arange(0, 61, 4)
found = [slide(math.radians(a)) for a in angles]
exact = [max(0.0, 2 * G * (math.sin(t) - MU * math.cos(t))) for t in np.radians(angles)]
print(f"largest difference from the formula: {max(abs(a - b) for a, b in zip(found, exact)):.1e} m; "
      f"friction angle {math.degrees(math.atan(MU)):.1f} degrees")
picture.plot("incline", [(angles, exact, "formula"), (angles, found, "talus", "4 4")], "angle, degrees",
             "way in 2 s, m", "A block on an incline, friction 0.5")
