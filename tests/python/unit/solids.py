# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that deform in Python, against closed forms."""

import math
import unittest

import numpy as np

import talus
from talus import solids

PLANE = ([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [(0, 1, 2), (0, 2, 3)])


def ground(**settings):
    scene = talus.Scene(law="coulomb", restitution=0, **settings)
    scene.terrain(*PLANE)
    return scene


class Solids(unittest.TestCase):
    def test_a_pseudo_rigid_cube_rebounds_with_three_quarters(self):
        """Percussion m v / 4, a contact of pi sqrt(m / (3 E a)); in steps of a hundredth of it 0.749818."""
        contact = math.pi * math.sqrt(2500 / 3e9)
        scene = ground(dt_s=contact / 100, gravity_mps2=(0, 0, 0), friction=0, tolerance=1e-10, iterations_max=10000,
                       correction=0)
        cube = scene.box((1, 1, 1), (0, 0, 0.5), density=2500, velocity=(0, 0, -0.01))
        scene.deform(cube, young=1e9, poisson=0, kinematics="pseudo-rigid")
        scene.run(1.5 * contact)
        self.assertAlmostEqual(cube.velocity[2] / 0.01, 0.749818, delta=2e-6)

    def test_a_column_carries_what_stands_above(self):
        """At rest the stress at height z is density g (2 - z); Poisson's ratio 0, so nothing else acts."""
        scene = ground(dt_s=2e-3, gravity_mps2=10, friction=0.5, tolerance=1e-6, rest_steps=0)
        column = scene.box((1, 1, 2), (0, 0, 1), density=2000)
        scene.deform(column, young=2e7, poisson=0, element=0.5, damping_stiffness=0.02)
        history = scene.history(low=("von_mises", column, (0, 0, 0.25)), high=("von_mises", column, (0, 0, 1.75)),
                                tension=("tension", column, (0, 0, 0.25)))
        scene.run(3)
        for name, height in (("low", 0.25), ("high", 1.75)):
            self.assertAlmostEqual(history[name][-1], 2000 * 10 * (2 - height), delta=50)
        self.assertAlmostEqual(history["tension"][-1], 0, delta=50)
        stress = scene.stress(column)
        self.assertEqual(len(stress), 2 * 2 * 4)
        np.testing.assert_allclose(stress["tensor_pa"][:, 2, 2], -20000 * (2 - stress["place_m"][:, 2]), atol=60)
        nodes = scene.nodes(column)
        self.assertEqual(len(nodes), 3 * 3 * 5)
        # Its own weight shortens it by density g h^2 / (2 E).
        self.assertAlmostEqual(np.ptp(nodes[:, 2]), 2 - 2000 * 10 * 4 / (2 * 2e7), delta=2e-5)
        self.assertAlmostEqual(scene.transit(column), 1 / math.sqrt(2e7 / 2000), delta=1e-6)

    def test_a_hull_is_filled_with_tetrahedra(self):
        points = np.random.default_rng(3).normal(size=(14, 3))
        scene = ground(dt_s=1e-3)
        body = scene.hull(points, position=(0, 0, 9), density=1000)
        scene.deform(body, young=1e8, element=3)
        shape = scene._shapes[0]
        nodes, tetrahedra = solids.tetrahedra(shape, 3)
        corner = nodes[tetrahedra]
        edges = corner[:, [0, 0, 0, 1, 1, 2]] - corner[:, [1, 2, 3, 2, 3, 3]]
        self.assertLessEqual(np.linalg.norm(edges, axis=2).max(), 3 + 1e-12)
        volume = np.einsum("ij,ij->i", np.cross(edges[:, 0], edges[:, 1]), edges[:, 2]) / -6
        self.assertGreater(volume.min(), 0)
        self.assertAlmostEqual(volume.sum() * 1000, scene.mass[0], delta=1e-9 * scene.mass[0])
        scene.step(100)
        self.assertAlmostEqual(scene.nodes(body)[:, 2].mean() - nodes.mean(axis=0) @ [0, 0, 1], body.position[2],
                               delta=1.0)
        self.assertAlmostEqual(body.position[2], 9 - 9.80665 * 0.1 ** 2 / 2, delta=1e-6)

    def test_hexahedra_fill_a_box(self):
        nodes, hexahedra = solids.hexahedra(np.array([1.0, 2.0, 3.0]), 1.0)
        self.assertEqual((len(nodes), len(hexahedra)), (2 * 3 * 4, 1 * 2 * 3))
        corner = nodes[hexahedra]
        np.testing.assert_allclose(corner[:, 6] - corner[:, 0], np.ones((6, 3)), atol=1e-15)
        np.testing.assert_allclose(corner[:, 1] - corner[:, 0], np.tile((1, 0, 0), (6, 1)), atol=1e-15)

    def test_bodies_that_are_alike_share_their_matrices(self):
        scene = ground()
        for k in range(3):
            scene.deform(scene.box((1, 1, 1), (2 * k, 0, 3)), young=1e8, element=1)
        self.assertEqual(len(scene._solids), 1)

    def test_what_is_wrong_is_said(self):
        def said(pattern, kind=talus.Error, **values):
            scene = ground()
            box = scene.box((1, 1, 1), (0, 0, 2))
            with self.assertRaisesRegex(kind, pattern):
                scene.deform(box, **{"young": 1e8, "element": 0.5, **values})
                scene.start()

        said("poisson = 0.5 must be", poisson=0.5)
        said("young_pa = -1 must be", young=-1)
        said("kinematics is one of floating-frame", ValueError, kinematics="jelly")
        said("a pseudo-rigid body has none", ValueError, element=None)
        said("must be above 0", ValueError, element=0)
        said("choose a larger one", ValueError, element=1e-4)
        scene = ground()
        with self.assertRaisesRegex(ValueError, "take the hull"):
            scene.deform(scene.sphere(1, (0, 0, 3)), young=1e8, element=1)
        with self.assertRaisesRegex(talus.Error, "body 0 is rigid and has no stresses"):
            scene.history(t=("tension", 0))
        self.assertEqual(len(scene.stress(0)) + len(scene.nodes(0)), 0)
        self.assertEqual(scene.transit(0), 0)


if __name__ == "__main__":
    unittest.main()
