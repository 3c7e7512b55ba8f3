# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's cradle: five balls on pairs of links, one pulled aside. They hang a millimetre apart, more than a
ball moves in a step, so that blows pass from ball to ball and not through all at once."""

import math

import picture

import talus

RADIUS, LENGTH, ANGLE, COUNT = 0.05, 1.0, 0.5, 5
APART = 2 * RADIUS + 1e-3
scene = talus.Scene(dt_s=2e-4, gravity_mps2=9.81, law="coulomb", friction=0, restitution=0.999, tolerance=1e-8,
                    substep_max=1)
balls = []
for k in range(COUNT):
    angle = ANGLE if k == COUNT - 1 else 0.0
    place = (k * APART + LENGTH * math.sin(angle), 0, -LENGTH * math.cos(angle))
    balls.append(scene.sphere(RADIUS, place, density=7800))
    for side in (-0.4, 0.4):
        scene.link(balls[-1], None, point_b=(k * APART, side, 0))
history = scene.history(every=5, **{f"ball {k + 1}": ("displacement", b, "x") for k, b in enumerate(balls)})
scene.run(4.0)
first = max(history["ball 1"] * -1)
weight = scene.mass[0] * 9.81
energy = sum(sum(scene.energy(b)) + weight * LENGTH for b in balls) / (weight * LENGTH * (1 - math.cos(ANGLE)))
print(f"the last ball starts {LENGTH * math.sin(ANGLE):.3f} m aside, the first swings to {first:.3f} m; after "
      f"{scene.time:g} s {100 * energy:.1f} % of the energy is left")
curves = [(history.time, history[f"ball {k + 1}"] + (LENGTH * math.sin(ANGLE) if k == COUNT - 1 else 0.0),
           f"ball {k + 1}") for k in range(COUNT)]
picture.plot("cradle", curves, "time, s", "way from rest, m", "Newton's cradle")
