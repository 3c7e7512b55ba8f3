# SPDX-License-Identifier: GPL-3.0-or-later
"""Granular layers: boxes of random sizes fall into a bin in four layers, one after the other."""

import numpy as np
import picture

import talus

numbers = np.random.default_rng(7)
scene = talus.Scene(dt_s=5e-3, friction=0.5, restitution=0.2)
scene.box((6, 6, 0.5), (0, 0, -0.25), fixed=True)
for x, y, size in ((-2.25, 0, (0.5, 5, 6)), (2.25, 0, (0.5, 5, 6)), (0, -2.25, (4, 0.5, 6)), (0, 2.25, (4, 0.5, 6))):
    scene.box(size, (x, y, 3), fixed=True)
stones, layer = [], []
for height in range(16):
    for place in range(16):
        turn = numbers.normal(size=4)
        at = (-1.5 + place % 4, -1.5 + place // 4, 0.6 + 0.9 * (height % 4) + 4.5 * (height // 4))
        stones.append(scene.box(numbers.uniform(0.25, 0.5, 3), at, turn))
        layer.append(height // 4)
time = scene.run(20, until_still=True, still_s=0.5)
means = [scene.position[[s.index for s, k in zip(stones, layer) if k == n], 2].mean() for n in range(4)]
print(f"still after {time:.1f} s; mean heights of the layers: {', '.join(f'{m:.2f}' for m in means)} m; "
      f"deepest penetration {1000 * scene.report.penetration_m:.2f} mm")
kept = [s.index for s in stones]
picture.draw("layers", [(f"still after {time:.1f} s", picture.snapshot(scene, lambda b: picture.COLORS[layer[b - 5]],
             kept))], title="Four layers in a bin (walls not shown)", width=420, height=380)
