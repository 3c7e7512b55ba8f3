# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that move as they are told: a belt that starts, a turntable, and a wheel that drives a slider by a link;
each against its closed form."""

import math

import picture

import talus

G, MU = 9.81, 0.4
scene = talus.Scene(dt_s=1e-3, gravity_mps2=G, law="coulomb", friction=MU, restitution=0, tolerance=1e-8)

# A belt reaches 4 m/s in half a second: faster than friction can follow.
belt = scene.box((30, 2, 0.5), (0, 0, -0.25))
parcel = scene.box((1, 1, 1), (0, 0, 0.5))
scene.prescribe(belt, [0, 0.5], velocity=[(0, 0, 0), (4, 0, 0)])

# A turntable at 1.2 rad/s: a block at 2 m holds up to omega^2 r = mu g.
table = scene.box((6, 6, 0.5), (0, 8, -0.25))
rider = scene.box((0.5, 0.5, 0.2), (2, 8, 0.1))
scene.prescribe(table, [0, 1], spin=[(0, 0, 0), (0, 0, 1.2)])

# A wheel turns at 1 Hz; a link of 2 m drives a slider that is held in y and z.
radius, length, spin = 0.5, 2.0, 2 * math.pi
wheel = scene.box((1.4, 0.2, 1.4), (0, -6, 3))
slider = scene.box((0.5, 0.5, 0.5), (radius + length, -6, 3))
scene.prescribe(wheel, 0, spin=(0, -spin, 0))
scene.link(wheel, slider, (radius, -6, 3))
for place, direction in (((0, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 0, 1)), ((0.2, 0, 0), (0, 1, 0)),
                         ((0.2, 0, 0), (0, 0, 1)), ((0, 0.2, 0), (0, 0, 1))):
    scene.fix(slider, (radius + length + place[0], -6 + place[1], 3 + place[2]), direction)
scene.exclude(wheel, slider)
history = scene.history(parcel=("velocity", parcel, "x"), belt=("velocity", belt, "x"),
                        slider=("displacement", slider, "x"))
scene.run(3.0)

catches_up = 4 / (MU * G)
print(f"parcel: {4 * catches_up - 1 - 0.5 * MU * G * catches_up ** 2:.4f} m behind the belt by the formula, "
      f"{belt.position[0] - parcel.position[0]:.4f} m here")
print(f"rider: {math.hypot(rider.position[0], rider.position[1] - 8):.4f} m from the axis, 2 m at the start")
angle = spin * (scene.time + 0.5e-3)  # constraints hold at the middle of steps
place = slider.position[0] + 0.5e-3 * slider.velocity[0]
exact = radius * math.cos(angle) + math.sqrt(length ** 2 - radius ** 2 * math.sin(angle) ** 2)
print(f"slider: {place:.9f} m, by geometry {exact:.9f} m")
picture.plot("moving_bodies", [(history.time, history["belt"], "belt, m/s"), (history.time, history["parcel"],
             "parcel, m/s"), (history.time, history["slider"] + radius + length, "slider, m")], "time, s", "m/s, m",
             "A belt, a parcel on it, a slider on a crank")
