# SPDX-License-Identifier: GPL-3.0-or-later
"""Solfec's tutorial "Three basic geometric objects": four bricks that are one body, a wedge on top of them, and a
ball that strikes it. Bodies of talus are convex: the bricks are held together by joints. The wedge is pseudo-rigid."""

import picture

import talus

scene = talus.Scene(dt_s=1e-3, gravity_mps2=10, law="coulomb", friction=0.5, restitution=0.0)
scene.box((10, 10, 1), (0, 0, -0.5), density=2e3, fixed=True)
bricks = [scene.box((1, 1, 1), (x, y, 0.5), density=2e3) for x in (-1.5, 0.5) for y in (-1.5, 0.5)]
middle = (-0.5, -0.5)
for brick in bricks[1:]:
    for place in ((*middle, 0.0), (*middle, 1.0), (-0.5, 0.5, 0.5)):
        scene.joint(bricks[0], brick, place)
wedge = [(x, y, z) for x in (-2, 1) for y in (-2, 1) for z in (1.0, 1.6 if x < 0 else 2.2)]
scene.deform(scene.hull(wedge, density=2e3), young=1e9, kinematics="pseudo-rigid")
ball = scene.sphere(1, (-0.5, -0.5, 5), density=2e3, velocity=(0, 0, -10))
before = picture.snapshot(scene)
scene.run(1.0)
apart = max(abs(scene.point(bricks[0], (*middle, 1.0))[0] - scene.point(b, (*middle, 1.0))[0]).max() for b in bricks)
print(f"after {scene.time:g} s the ball is at z = {ball.position[2]:.3f} m; joints are {apart:.1e} m apart; "
      f"deepest penetration {scene.report.penetration_m:.1e} m")
picture.draw("three_objects", [("t = 0", before), ("t = 1 s", picture.snapshot(scene))], title="Three objects")
