# SPDX-License-Identifier: GPL-3.0-or-later
"""Hulls, mass properties and mesh files against what is known of them."""

import os
import tempfile
import unittest

import numpy as np

import talus
from talus import shapes

TETRAHEDRON = (np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])


class Shapes(unittest.TestCase):
    def test_hull_of_a_cube_and_what_is_inside(self):
        corners = shapes.box_corners(np.array([1.0, 2.0, 3.0]))
        inside = np.random.default_rng(1).uniform(-0.45, 0.45, (50, 3)) * (1, 2, 3)
        vertices, faces = shapes.hull(np.concatenate([inside, corners]))
        self.assertEqual(len(vertices), 8)
        volume, centroid, moments = shapes.mass_properties(vertices, faces)
        self.assertAlmostEqual(volume, 6.0)
        np.testing.assert_allclose(centroid, 0, atol=1e-15)
        np.testing.assert_allclose(moments, 6.0 / 12.0 * np.diag([1, 4, 9]), atol=1e-14)

    def test_hull_contains_its_points_and_is_closed(self):
        for seed in range(20):
            points = np.random.default_rng(seed).normal(size=(60, 3))
            vertices, faces = shapes.hull(points)
            self.assertEqual(len(faces), 2 * len(vertices) - 4)  # Euler, all triangles
            for a, b, c in faces:
                normal = np.cross(vertices[b] - vertices[a], vertices[c] - vertices[a])
                self.assertLess(((points - vertices[a]) @ normal).max(), 1e-9)

    def test_tetrahedron_has_its_inertia(self):
        volume, centroid, moments = shapes.mass_properties(*TETRAHEDRON)
        self.assertAlmostEqual(volume, 1 / 6)
        np.testing.assert_allclose(centroid, 0.25)
        want = (np.full((3, 3), 1 / 120) + np.eye(3) / 120) - 1 / 6 / 16  # about the centroid
        np.testing.assert_allclose(moments, want, atol=1e-16)

    def test_quaternions_turn_as_their_matrices(self):
        for seed in range(50):
            q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
            q *= np.sign(np.linalg.det(q))
            np.testing.assert_allclose(shapes.rotation(shapes.quaternion(q)), q, atol=1e-14)

    def test_polyhedron_stands_where_its_vertices_are(self):
        scene = talus.Scene(dt_s=0.01)
        body = scene.polyhedron(*TETRAHEDRON, density=6.0)
        vertices, _ = scene.polygons(body)
        np.testing.assert_allclose(vertices, TETRAHEDRON[0], atol=1e-15)
        self.assertAlmostEqual(scene.mass[0], 1.0)

    def test_files_hold_the_same_mesh(self):
        v, f = TETRAHEDRON
        obj = "".join(f"v {x} {y} {z}\n" for x, y, z in v) + "".join(f"f {a + 1}/1 {b + 1} {c + 1}\n" for a, b, c in f)
        off = f"OFF\n4 4 0\n" + "".join(f"{x} {y} {z}\n" for x, y, z in v) + "".join(f"3 {a} {b} {c}\n" for a, b, c in f)
        ply = ("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 4\nproperty list uchar int vertex_index\nend_header\n" + off.split("0\n", 1)[1])
        stl = "solid a\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join(
            f"vertex {v[k][0]} {v[k][1]} {v[k][2]}\n" for k in face) + "endloop\nendfacet\n" for face in f)
        binary = bytes(80) + (4).to_bytes(4, "little") + b"".join(
            np.zeros(3, "<f4").tobytes() + v[list(face)].astype("<f4").tobytes() + b"\0\0" for face in f)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("a.obj", obj), ("a.off", off), ("a.ply", ply), ("a.stl", stl), ("b.stl", binary)):
                path = os.path.join(folder, name)
                with open(path, "wb") as file:
                    file.write(text if isinstance(text, bytes) else text.encode())
                self.assertAlmostEqual(shapes.mass_properties(*shapes.read_mesh(path))[0], 1 / 6, msg=name)
                with open(path, "wb") as file:
                    file.write(b"v 0 0\nf 1 2 3\n")
                self.assertRaises(ValueError, shapes.read_mesh, path)


if __name__ == "__main__":
    unittest.main()
