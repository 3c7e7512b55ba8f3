# SPDX-License-Identifier: GPL-3.0-or-later
"""A dry-stone arch: half a circle of 20 voussoirs on two fixed springers. It stands if it is thicker than 0.1075 of
its mean radius (Milankovitch 1907), and falls with four hinges if it is thinner."""

import math

import numpy as np
import picture

import talus

STONES = 20


def build(thickness, radius=5.0, width=1.0):
    scene = talus.Scene(dt_s=2e-3, gravity_mps2=9.81, law="coulomb", friction=0.8, restitution=0, tolerance=1e-5,
                        iterations_max=5000)
    inner, outer = radius - thickness / 2, radius + thickness / 2

    def ring(a, b):
        return [(r * math.cos(t), y, r * math.sin(t)) for t in (a, b) for r in (inner, outer)
                for y in (-width / 2, width / 2)]

    for k in range(STONES):
        scene.hull(ring(math.pi * k / STONES, math.pi * (k + 1) / STONES), density=2400)
    for side in (-1, 1):
        scene.box((thickness * 2, width, 0.5), (side * radius, 0, -0.25), fixed=True)
    return scene


pictures = []
for ratio in (0.13, 0.085):
    scene = build(5.0 * ratio)
    crown = scene.point(STONES // 2, (0, 0, 5.0))[0]
    scene.run(1.2)
    sunk = crown[2] - scene.point(STONES // 2, (0, 0, 5.0))[0][2]
    print(f"thickness {ratio:g} of the radius: the crown has sunk by {sunk:.4f} m in {scene.time:g} s: "
          f"{'it stands' if sunk < 0.01 else 'it falls'}")
    pictures.append((f"t/R = {ratio:g}", picture.snapshot(scene, lambda b: "#999999" if b >= STONES else
                                                          picture.COLORS[b % 2 * 4])))
picture.draw("arch", pictures, azimuth=-85, elevation=8, title="Arches of 20 stones after 1.2 s", height=240)
