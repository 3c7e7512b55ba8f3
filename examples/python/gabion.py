# SPDX-License-Identifier: GPL-3.0-or-later
"""A gabion wall and a ball that flies at it: stones in cages of panels. The net holds stones but not the ball: stones
and net meet by springs, ball and net pass each other."""

import numpy as np
import picture

import talus

EDGE, STONES = 0.5, 3
COLUMNS, ROWS = 4, 2
numbers = np.random.default_rng(3)
scene = talus.Scene(dt_s=1e-3, friction=0.6, restitution=0.1)
scene.law("stone", "net", law="penalty", stiffness_n_m=3e6, damping_n_s_m=1e3, friction=0.3)
scene.law("ball", "net", law="pass")
scene.box((8, 8, 0.5), (1, 0.25, -0.25), surface="floor", fixed=True)
stones = []
for cage in range(COLUMNS * ROWS):
    corner = np.array([EDGE * (cage % COLUMNS), 0, EDGE * (cage // COLUMNS)])
    for k in range(STONES ** 3):
        place = (np.array([k % STONES, k // STONES % STONES, k // STONES ** 2]) + 0.5) * EDGE / STONES
        points = numbers.normal(size=(12, 3))
        points *= 0.42 * EDGE / STONES / np.linalg.norm(points, axis=1, keepdims=True)
        stones.append(scene.hull(points, position=corner + place, density=2600, surface="stone"))
middle, wide, high = EDGE * COLUMNS / 2, EDGE * COLUMNS, EDGE * ROWS
for y in (-0.05, EDGE + 0.05):  # front and back, then the sides and the lid
    scene.box((wide + 0.4, 0.1, high + 0.2), (middle, y, high / 2), surface="net", fixed=True)
for x in (-0.05, wide + 0.05):
    scene.box((0.1, EDGE, high + 0.2), (x, EDGE / 2, high / 2), surface="net", fixed=True)
ball = scene.sphere(0.25, (middle, -4.4, 0.3 * high), density=4000, velocity=(0, 8, 0), surface="ball")
scene.exclude(ball)
scene.force(ball, (0, 0, 9.80665 * scene.mass[ball.index]))  # it hangs on slings
scene.run(0.45)  # the stones settle while it comes
start = scene.energy(ball)[0]
before = picture.snapshot(scene, only=[*(s.index for s in stones), ball.index])
history = scene.history(y=("displacement", ball, "y"), k=("kinetic", ball))
scene.run(1.0)
print(f"the ball came with {start / 1000:.1f} kJ and has {history['k'][-1] / 1000:.2f} kJ; it went "
      f"{history['y'].max() - 4.4 + 0.25:.2f} m into the wall; energy book off by {abs(scene.report.energy_defect_j):.1e} J")
after = picture.snapshot(scene, only=[*(s.index for s in stones), ball.index])
picture.draw("gabion", [("before", before), ("half a second later", after)], azimuth=-120, elevation=20,
             title="A ball against gabions (nets not shown)")
