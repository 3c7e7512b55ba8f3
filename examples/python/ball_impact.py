# SPDX-License-Identifier: GPL-3.0-or-later
"""Solfec's tutorial "Ball impact": a ball strikes a plate through a spring and three dashpots. Restitution against
the closed form of a damped spring that pushes only (Schwager and Poeschel 2007)."""

import math

import picture

import talus

SPRING, SPEED, STOP = 1e9, 5.0, 2.0


def impact(dashpot):
    scene = talus.Scene(dt_s=1e-5, gravity_mps2=10, law="penalty", friction=0, stiffness_n_m=SPRING,
                        damping_n_s_m=dashpot)
    scene.box((2, 2, 1), (0, 0, -0.5), density=2e3, fixed=True)
    ball = scene.sphere(1, (0, 0, 1), density=2e3, velocity=(0, 0, -SPEED))
    history = scene.history(every=50, kinetic=("kinetic", ball), speed=("velocity", ball, "z"))
    scene.run(STOP)
    return history, scene.mass[1]


def restitution(z):
    """Of the damping ratio z: the contact ends when the force is zero, before the spring is relaxed."""
    root = math.sqrt(abs(1 - z * z))
    if z < 1:
        return math.exp(-z / root * (math.pi - math.atan2(2 * z * root, 1 - 2 * z * z)))
    return math.exp(-z / root * math.log((z + root) / (z - root)))


curves = []
for dashpot in (0.0, 1e6, 1e7):
    history, mass = impact(dashpot)
    curves.append((history.time, history["kinetic"], f"dashpot {dashpot:g} N s/m"))
    exact = restitution(dashpot / (2 * math.sqrt(SPRING * mass)))
    print(f"dashpot {dashpot:8g}: rebounds with {history['speed'][:200].max() / SPEED:.3f} of the speed, "
          f"the formula says {exact:.3f}")
picture.plot("ball_impact", curves, "time, s", "kinetic energy, J", "A ball on a spring and a dashpot")
