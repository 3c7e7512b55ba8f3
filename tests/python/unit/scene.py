# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as scripts: what the calls do, against closed forms, and what is refused."""

import gc
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import talus

G = 9.81
PLANE = ([(-50, -50, 0), (50, -50, 0), (50, 50, 0), (-50, 50, 0)], [(0, 1, 2), (0, 2, 3)])


def make(**settings):
    scene = talus.Scene(**{"dt_s": 0.001, "gravity_mps2": G, "law": "coulomb", "friction": 0.5, "restitution": 0,
                           "tolerance": 1e-9, **settings})
    scene.terrain(*PLANE)
    return scene


class Motion(unittest.TestCase):
    def test_block_slides_by_the_formula(self):
        scene = make(gravity_mps2=(G * math.sin(0.6), 0.0, -G * math.cos(0.6)))
        block = scene.box((1, 1, 0.5), (0, 0, 0.25))
        scene.run(1.0)
        way = 0.5 * G * (math.sin(0.6) - 0.5 * math.cos(0.6))
        self.assertAlmostEqual(block.position[0], way, delta=1e-6)
        self.assertEqual(scene.report.contact_count, 4)
        weight = scene.percussions.sum(axis=0)[2] / 0.001
        self.assertAlmostEqual(weight, scene.mass[0] * G * math.cos(0.6), delta=1e-3)

    def test_views_show_the_present_and_outlive_their_scene(self):
        scene = make()
        ball = scene.sphere(0.1, (0, 0, 2))
        position, report = scene.position, scene.report
        self.assertFalse(position.flags.owndata)
        self.assertFalse(position.flags.writeable)
        scene.step(100)
        self.assertAlmostEqual(position[0, 2], 2 - 0.5 * G * 0.01, delta=1e-9)
        self.assertAlmostEqual(report["kinetic_translation_j"], 0.5 * scene.mass[0] * (G * 0.1) ** 2, delta=1e-6)
        last = position[0, 2]
        del scene, ball, report
        gc.collect()
        self.assertEqual(position[0, 2], last)

    def test_pendulum_swings_with_its_period_and_pulls_at_its_pin(self):
        scene = talus.Scene(dt_s=0.001, gravity_mps2=G, tolerance=1e-10)
        angle, length = 0.05, 2.0
        ball = scene.sphere(0.1, (length * math.sin(angle), 0, -length * math.cos(angle)), density=1000)
        bar = scene.link(ball, None, point_b=(0, 0, 0))
        history = scene.history(x=("displacement", ball, "x"), pull=("reaction", bar, "z"), k=("kinetic", ball))
        scene.run(6.0)
        x = history["x"] + length * math.sin(angle)
        falls = history.time[1:][(x[:-1] > 0) & (x[1:] <= 0)]
        self.assertAlmostEqual(falls[1] - falls[0], 2 * math.pi * math.sqrt(length / G) * (1 + angle ** 2 / 16),
                               delta=0.002)
        weight = scene.mass[0] * G
        self.assertAlmostEqual(history["pull"].mean() / weight, 1.0, delta=0.01)
        self.assertAlmostEqual(history["k"].max(), weight * length * (1 - math.cos(angle)), delta=1e-3 * weight)
        self.assertAlmostEqual(bar.reaction[2], history["pull"][-1], delta=0.0)
        self.assertEqual(len(history.time), 6000)

    def test_chain_keeps_its_energy_and_holds_together(self):
        scene = talus.Scene(dt_s=0.002, gravity_mps2=G)  # the default tolerance
        links = [scene.box((0.5, 0.1, 0.1), (0.25 + 0.5 * k, 0, 0), density=2000) for k in range(20)]
        scene.fix(links[0], (0, 0, 0))
        for k in range(19):
            scene.joint(links[k], links[k + 1], (0.5 * (k + 1), 0, 0))
            scene.exclude(links[k], links[k + 1])
        scene.run(1.0)
        kinetic = scene.energies[:, :2].sum()
        self.assertGreater(kinetic, 5000)
        self.assertLess(abs(scene.energies.sum()), 1e-4 * kinetic)  # it was 0
        ends = [[scene.point(links[k + n], (0.5 * (k + 1), 0, 0))[0] for n in (0, 1)] for k in range(19)]
        self.assertLess(np.abs(np.diff(ends, axis=1)).max(), 1e-4)
        self.assertEqual(scene.report.unconverged_count, 0)

    def test_drives_take_their_point_along(self):
        scene = talus.Scene(dt_s=0.01, gravity_mps2=0)
        a, b, c = (scene.box((1, 1, 1), (3 * k, 0, 0)) for k in range(3))
        scene.prescribe(a, [0, 2], direction=(0, 0, 2), displacement=[0, 1])
        scene.prescribe(b, [0, 2], direction=(0, 0, 1), velocity=[0, 2])
        scene.prescribe(c, 0, direction=(0, 0, 1), acceleration=[1])
        scene.run(1.0)
        np.testing.assert_allclose(scene.position[:, 2], 0.5, atol=2e-5)

    def test_prescribed_floor_carries_and_forces_push(self):
        scene = talus.Scene(dt_s=0.005, gravity_mps2=G, law="coulomb", friction=0.5)
        floor = scene.box((10, 10, 1), (0, 0, -0.5))
        block, free = scene.box((1, 1, 1), (0, 0, 0.5)), scene.sphere(0.2, (0, 20, 0), density=1000)
        scene.prescribe(floor, [0, 1], velocity=[(0, 0, 0), (2, 0, 0)])
        scene.force(free, force=(0, 0, scene.mass[2] * G), end_s=10)
        scene.run(1.0)
        self.assertAlmostEqual(block.velocity[0], 2.0, delta=1e-6)
        self.assertAlmostEqual(free.position[2], 0.0, delta=1e-9)

    def test_gravity_changes_and_excluded_bodies_pass(self):
        scene = talus.Scene(dt_s=0.01)
        scene.terrain(*PLANE)
        ball = scene.sphere(0.1, (0, 0, 0.2))
        scene.gravity([0, 1], [(0, 0, -2), (0, 0, 0)])
        scene.exclude(ball)
        scene.run(1.0)
        self.assertAlmostEqual(ball.velocity[2], -1.0, delta=1e-9)

    def test_laws_change_between_steps(self):
        scene = make(gravity_mps2=(3.0, 0, -G))
        block = scene.box((1, 1, 1), (0, 0, 0.5))
        scene.run(0.2)
        self.assertAlmostEqual(block.position[0], 0.0, delta=1e-6)
        scene.law("rock", "ground", friction=0.1)
        scene.run(1.2)
        self.assertAlmostEqual(block.position[0], 0.5 * (3 - 0.1 * G), delta=5e-3)
        with self.assertRaisesRegex(talus.Error, "friction = -1"):
            scene.law("rock", "ground", friction=-1)
        with self.assertRaisesRegex(ValueError, "no surface"):
            scene.law("rock", "mud", friction=1)

    def test_ground_classes_set_their_numbers(self):
        scene = talus.Scene(dt_s=0.01)
        scene.law("rock", "ground", ground="snow", friction_max=0.4)
        kind, _, numbers = scene._laws[frozenset(("rock", "ground"))]
        values = dict(zip(talus.scene.LAW_NUMBERS, numbers))
        self.assertEqual(kind, talus.scene._talus.law_numbers()["ground"])
        self.assertEqual((values["friction"], values["friction_max"], values["drag_per_s"]), (0.1, 0.4, 0.7))
        with self.assertRaisesRegex(talus.Error, "needs the law ground or scar"):
            scene.law("rock", "ground", ground="snow", law="coulomb")

    def test_run_ends_when_still(self):
        scene = make(dt_s=0.005, tolerance=1e-3)
        scene.box((1, 1, 1), (0, 0, 1))
        self.assertLess(scene.run(60, until_still=True), 5.0)
        self.assertEqual(scene.report.iterations, 0)  # it rests

    def test_checkpoint_goes_on_with_the_same_bits(self):
        def build():
            scene = make()
            for k in range(4):
                scene.hull(np.random.default_rng(k).normal(size=(12, 3)) * 0.3, position=(0.3 * k, 0, 1 + k))
            return scene

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.checkpoint")
            scene = build()
            scene.step(300)
            scene.checkpoint(path)
            scene.step(300)
            other = build()
            other.resume(path)
            other.step(300)
            self.assertEqual(scene.hash(), other.hash())
            with self.assertRaises(OSError):
                other.resume(os.path.join(folder, "none"))
            other.step()

    def test_ball_impacts_with_spring_and_dashpot(self):
        # Half a sine of duration pi sqrt(m/k); without a dashpot nothing is lost.
        scene = talus.Scene(dt_s=1e-5, gravity_mps2=0, law="penalty", friction=0, stiffness_n_m=1e6, damping_n_s_m=0)
        scene.box((4, 4, 1), (0, 0, -0.5), fixed=True)
        ball = scene.sphere(0.5, (0, 0, 0.5001), velocity=(0, 0, -1), density=1000)
        deepest = 0.0
        while ball.velocity[2] < 0:
            scene.step()
            deepest = max(deepest, 0.5 - ball.position[2])
        self.assertAlmostEqual(deepest, math.sqrt(scene.mass[1] / 1e6), delta=1e-4)


class Refused(unittest.TestCase):
    def test_settings_are_checked_as_in_a_site_file(self):
        for given, words in (({"dt_s": 7}, r"dt_s = 7 must be in"), ({"law": "glue"}, "is not one of"),
                             ({"friction": "much"}, "friction"), ({"frction": 1}, "did you mean friction"),
                             ({"until_s": 3}, "setting of a run"), ({"kn_kg": 1, "restitution": 0}, "not both")):
            with self.assertRaisesRegex(talus.Error, words):
                talus.Scene(**given)
        with self.assertRaises(talus.Error) as all_of_them:
            talus.Scene(dt_s=7, friction=-1, law="glue")
        self.assertEqual(len(str(all_of_them.exception).splitlines()), 3)

    def test_the_library_says_what_is_wrong_with_a_scene(self):
        scene = make()
        scene.box((1, 1, 1), (0, 0, 0.2))
        scene.box((1, 1, 1), (0.2, 0, 0.4))
        with self.assertRaisesRegex(talus.Error, "deep in the ground[^$]*overlap"):
            scene.start()
        with self.assertRaisesRegex(talus.Error, "no blocks"):
            talus.Scene().step()

    def test_what_has_begun_is_not_built_on(self):
        scene = make()
        box = scene.box((1, 1, 1), (0, 0, 2))
        scene.step()
        for call in (lambda: scene.box((1, 1, 1)), lambda: scene.fix(box), lambda: scene.set(dt_s=0.1),
                     lambda: scene.terrain(*PLANE), lambda: scene.exclude(box), lambda: scene.force(box)):
            self.assertRaises(RuntimeError, call)

    def test_arguments_of_wrong_kinds(self):
        scene, other = make(), make()
        box, stranger = scene.box((1, 1, 1), (0, 0, 2)), other.box((1, 1, 1))
        for error, call in ((ValueError, lambda: scene.box((1, 1))), (ValueError, lambda: scene.box((1, 1, math.nan))),
                            (TypeError, lambda: scene.box("big")), (ValueError, lambda: scene.hull([(0, 0, 0)] * 9)),
                            (TypeError, lambda: scene.fix("x")), (IndexError, lambda: scene.fix(stranger)),
                            (IndexError, lambda: scene.fix(5)), (TypeError, lambda: scene.box((1, 1, 1), surface=3)),
                            (ValueError, lambda: scene.link(box, None)), (ValueError, lambda: scene.history(a=("x", 1))),
                            (ValueError, lambda: scene.prescribe(box, [0, 1], velocity=[(1, 0, 0)])),
                            (ValueError, lambda: scene.polyhedron(np.eye(3), [(0, 1, 7)])),
                            (ValueError, lambda: scene.terrain(PLANE[0], [(0, 1, 9)]))):
            self.assertRaises(error, call)


class Guests(unittest.TestCase):
    def test_ctrl_c_stops_a_long_run_between_steps(self):
        scene = make()
        scene.box((1, 1, 1), (0, 0, 3), spin=(1, 1, 1))
        scene.start()
        threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            scene.step(10 ** 9)
        done = scene.time
        scene.step()
        self.assertGreater(scene.time, done)

    def test_others_run_while_it_steps_and_may_not_touch_it(self):
        scene = make(rest_steps=0)
        for k in range(20):
            scene.box((1, 1, 1), (0, 0, 0.6 + 1.1 * k))
        scene.start()
        thread = threading.Thread(target=scene.step, args=(300,))
        refused = counted = 0
        thread.start()
        while thread.is_alive():
            counted += 1
            try:
                scene.step()
            except RuntimeError:
                refused += 1
        self.assertGreater(counted, 100)
        self.assertGreater(refused, 0)

    def test_without_numpy_it_says_so(self):
        code = "import sys; sys.modules['numpy'] = None\nimport talus"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertIn("talus needs numpy: install Debian's python3-numpy", said.stderr)

    def test_vtk_holds_all_polygons(self):
        scene = make()
        scene.box((1, 2, 3), (0, 0, 5))
        scene.sphere(1, (0, 5, 5))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.vtk")
            scene.to_vtk(path)
            with open(path, encoding="ascii") as file:
                words = file.read().split()
        self.assertEqual(int(words[words.index("POINTS") + 1]), 8 + len(talus.scene.vtk.ball()[0]))
        corner = np.array(words[words.index("double") + 1:][:24], dtype=float).reshape(8, 3)
        np.testing.assert_allclose([corner.min(axis=0), corner.max(axis=0)], [(-0.5, -1, 3.5), (0.5, 1, 6.5)])


if __name__ == "__main__":
    unittest.main()
