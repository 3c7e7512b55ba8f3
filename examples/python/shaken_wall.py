# SPDX-License-Identifier: GPL-3.0-or-later
"""A masonry wall on a base that is shaken by an accelerogram: two strengths of the same record."""

import numpy as np
import picture

import talus

ROWS, BRICKS = 10, 7
LENGTH, DEPTH, HEIGHT = 0.5, 0.25, 0.2


def record(strength):
    """Some seconds of a made-up earthquake: bursts of 1 to 2 Hz under an envelope, m/s^2."""
    time = np.arange(0, 3.0, 0.005)
    envelope = np.minimum(time / 0.5, 1.0) * np.clip((3.0 - time) / 0.5, 0.0, 1.0)
    wave = sum(np.sin(2 * np.pi * f * time + p) for f, p in ((1.0, 0.0), (1.4, 1.0), (1.9, 2.5))) / 2.5
    return time, strength * envelope * wave


def shake(strength):
    scene = talus.Scene(dt_s=2.5e-3, gravity_mps2=9.81, law="coulomb", friction=0.6, restitution=0)
    level = []
    scene.terrain([(-9, -9, -0.3), (13, -9, -0.3), (13, 9, -0.3), (-9, 9, -0.3)], [(0, 1, 2), (0, 2, 3)])
    base = scene.box((8, 3, 0.3), (LENGTH * BRICKS / 2, 0, -0.15))
    for row in range(ROWS):
        joints = np.arange(BRICKS + 1) if row % 2 == 0 else np.concatenate([[0], np.arange(BRICKS) + 0.5, [BRICKS]])
        for left, right in zip(joints[:-1] * LENGTH, joints[1:] * LENGTH):  # every other row has halves at its ends
            level.append((row + 0.5) * HEIGHT)
            scene.box((right - left - 1e-3, DEPTH, HEIGHT), ((left + right) / 2, 0, level[-1]), density=1800)
    time, acceleration = record(strength)
    velocity = np.concatenate([[0], np.cumsum(0.5 * (acceleration[1:] + acceleration[:-1])) * 0.005])
    across = np.zeros((len(time), 3))
    across[:, 1] = velocity
    scene.prescribe(base, time, velocity=across)
    scene.run(4.0)
    fallen = sum(z < start - HEIGHT / 4 for z, start in zip(scene.position[1:, 2], level))
    print(f"{strength:g} m/s^2: {fallen} of {len(level)} bricks have fallen")
    return picture.snapshot(scene, lambda b: "#bbbbbb" if b == 0 else picture.COLORS[int(level[b - 1] / HEIGHT) % 5])


picture.draw("shaken_wall", [("1 m/s²", shake(1.0)), ("6 m/s²", shake(6.0))], azimuth=-70, elevation=20,
             title="A wall after the same record, weak and strong", height=260)
