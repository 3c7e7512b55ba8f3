# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that deform: what they are made of, and how they are divided into elements."""

import numpy as np

from talus import _talus

# By the numbers of talus_solid.h.
KINEMATICS = {"floating-frame": 0, "total-lagrangian": 1, "corotational": 2, "small": 3, "pseudo-rigid": 4}
# The corners of a hexahedron in the order of the elements, in units of its sizes.
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])


def hexahedra(size, element):
    """Nodes and hexahedra of a box about its centre, with no edge longer than `element`."""
    counts = np.maximum(1, np.ceil(size / element - 1e-9).astype(np.int64))
    if counts.prod() > 1_000_000:
        raise ValueError(f"element = {element} makes {counts.prod()} elements of this box: choose a larger one")
    axes = [np.linspace(-s / 2, s / 2, n + 1) for s, n in zip(size, counts)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    first = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    i, j, k = np.moveaxis(first + CORNERS, -1, 0)
    return nodes, ((i * (counts[1] + 1) + j) * (counts[2] + 1) + k).astype(np.int32)


def tetrahedra(shape, element):
    """Nodes and tetrahedra that fill a convex polyhedron."""
    _, vertices, faces = shape
    node, tetrahedron = _talus.fill(dict(
        shape_kind=np.zeros(1, "i4"), shape_radius=np.zeros(1), shape_vertex=np.ascontiguousarray(vertices, "f8"),
        shape_vertex_start=np.array([0, len(vertices)], "i4"), shape_face_start=np.array([0, len(faces)], "i4"),
        loop_size=np.array([len(face) for face in faces], "i4"),
        loop_vertex=np.array([v for face in faces for v in face], "i4")), element)
    return np.frombuffer(node).reshape(-1, 3), np.frombuffer(tetrahedron, "i4").reshape(-1, 4)


def mesh(shape, box, kinematics, element):
    """Nodes, hexahedra and tetrahedra of a shape; those of a pseudo-rigid body are none."""
    none = np.zeros((0, 3)), np.zeros((0, 8), "i4"), np.zeros((0, 4), "i4")
    if kinematics == "pseudo-rigid":
        return none
    if box is not None:
        return (*hexahedra(box, element), none[2])
    nodes, elements = tetrahedra(shape, element)
    return nodes, none[1], elements
