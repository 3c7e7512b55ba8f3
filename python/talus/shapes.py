# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex polyhedra: hulls of points, mass properties, and files of meshes."""

import numpy as np

# Faces of a box whose corners are (0, 0, 0), (0, 0, 1), (0, 1, 0) ... (1, 1, 1) in units of its sizes,
# each counter-clockwise seen from outside.
BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def vectors(values, name, columns=3):
    """An array of so many columns of finite numbers, or a sentence that says what is wrong."""
    try:
        array = np.array(values, dtype=np.float64, ndmin=2)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers") from None
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name} has the shape {np.shape(values)}: {columns} numbers each are needed")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def vector(values, name, columns=3):
    """The same for one row."""
    array = vectors(values, name, columns)
    if len(array) != 1:
        raise ValueError(f"{name} has the shape {np.shape(values)}: {columns} numbers are needed")
    return array[0]


def box_corners(size):
    """The eight corners about the centre."""
    units = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    return units * size


def hull(points):
    """Vertices and triangles of the convex hull: a tetrahedron that grows by one point at a time."""
    points = np.unique(vectors(points, "points"), axis=0)
    size = np.ptp(points, axis=0).max() if len(points) else 0.0
    near = 1e-12 * size
    faces = _tetrahedron(points, near)
    for number, point in enumerate(points):
        corner = points[np.array(faces)]
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        sees = np.einsum("ij,ij->i", normal, point - corner[:, 0]) > near
        if not sees.any():
            continue
        seen = [face for face, s in zip(faces, sees) if s]
        edges = {edge for a, b, c in seen for edge in ((a, b), (b, c), (c, a))}
        rim = [(a, b) for a, b in edges if (b, a) not in edges]
        faces = [face for face, s in zip(faces, sees) if not s] + sorted((a, b, number) for a, b in rim)
    used = sorted({v for face in faces for v in face})
    place = {v: n for n, v in enumerate(used)}
    return points[used], [tuple(place[v] for v in face) for face in faces]


def _tetrahedron(points, near):
    flat = ValueError("a hull needs four points that do not lie in one plane")
    if len(points) < 4:
        raise flat
    a = 0
    b = int(np.argmax(np.linalg.norm(points - points[a], axis=1)))
    along = points[b] - points[a]
    c = int(np.argmax(np.linalg.norm(np.cross(points - points[a], along), axis=1)))
    normal = np.cross(along, points[c] - points[a])
    height = (points - points[a]) @ normal
    d = int(np.argmax(np.abs(height)))
    if not np.abs(height[d]) > near * np.linalg.norm(normal):
        raise flat
    if height[d] > 0:
        b, c = c, b
    return [(a, b, c), (a, c, d), (a, d, b), (b, d, c)]


def mass_properties(vertices, faces):
    """Volume, centroid, and second moments about it, by tetrahedra from the first vertex."""
    triangles = np.array([(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)])
    a, b, c = (vertices[triangles[:, k]] - vertices[0] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    total = volume.sum()
    if not total > 0:
        raise ValueError("the polyhedron has no volume: faces run counter-clockwise seen from outside")
    centroid = (volume[:, None] * (a + b + c)).sum(axis=0) / (4.0 * total)
    s = a + b + c
    moments = sum(np.einsum("i,ij,ik->jk", volume, x, x) for x in (a, b, c, s)) / 20.0
    moments -= total * np.outer(centroid, centroid)
    return total, centroid + vertices[0], moments


def principal(moments):
    """Principal moments of inertia per density and the rotation from body to world axes."""
    inertia = np.trace(moments) * np.eye(3) - moments
    values, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return values, axes


def quaternion(matrix):
    """Of a rotation matrix, scalar first."""
    m = matrix
    q = np.array([[m[0, 0] - m[1, 1] - m[2, 2], 0, 0, 0],
                  [m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], 0, 0],
                  [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1], 0],
                  [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], np.trace(m)]]) / 3.0
    _, axes = np.linalg.eigh(q)  # of the lower half: the largest one (Bar-Itzhack)
    x, y, z, w = axes[:, 3]
    return np.array([w, x, y, z]) * (1.0 if w >= 0 else -1.0)


def rotation(q):
    """The rotation matrix of a quaternion, scalar first."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def multiply(p, q):
    """The product of two quaternions: first q, then p."""
    a, b = p[0], p[1:]
    c, d = q[0], q[1:]
    return np.concatenate(([a * c - b @ d], a * d + c * b + np.cross(b, d)))


def read_mesh(path):
    """Vertices and faces of an OBJ, OFF, STL or ASCII PLY file."""
    with open(path, "rb") as file:
        data = file.read()
    kind = str(path).lower().rsplit(".", 1)[-1]
    readers = {"obj": _read_obj, "off": _read_off, "stl": _read_stl, "ply": _read_ply}
    if kind not in readers:
        raise ValueError(f"{path}: a mesh is an .obj, .off, .stl or .ply file")
    try:
        vertices, faces = readers[kind](data)
        vertices = vectors(vertices, "vertices")
        if any(not 0 <= v < len(vertices) for face in faces for v in face) or not faces:
            raise ValueError("faces name vertices that are not there")
    except (ValueError, IndexError, StopIteration) as wrong:
        raise ValueError(f"{path}: not a mesh that can be read: {wrong}") from None
    return vertices, faces


def _read_obj(data):
    vertices, faces = [], []
    for line in data.decode("ascii", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(w) for w in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(w.split("/")[0]) for w in words[1:]]
            faces.append(tuple(n - 1 if n > 0 else len(vertices) + n for n in numbers))
    return vertices, faces


def _read_off(data):
    words = iter(data.decode("ascii", "replace").split())
    if next(words) != "OFF":
        raise ValueError("it does not begin with OFF")
    vertex_count, face_count, _ = (int(next(words)) for _ in range(3))
    vertices = [[float(next(words)) for _ in range(3)] for _ in range(vertex_count)]
    faces = [tuple(int(next(words)) for _ in range(int(next(words)))) for _ in range(face_count)]
    return vertices, faces


def _read_stl(data):
    if data[:5] == b"solid" and b"facet" in data:
        words = data.decode("ascii", "replace").split()
        corners = np.array([[float(w) for w in words[k + 1:k + 4]] for k, word in enumerate(words)
                            if word == "vertex"])
    else:
        count = int.from_bytes(data[80:84], "little")
        record = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("note", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["corner"].reshape(-1, 3).astype(float)
    vertices, number = np.unique(corners, axis=0, return_inverse=True)
    return vertices, [tuple(int(v) for v in face) for face in number.reshape(-1, 3)]


def _read_ply(data):
    head, _, body = data.partition(b"end_header")
    lines = head.decode("ascii", "replace").splitlines()
    if not lines or lines[0].strip() != "ply" or "format ascii 1.0" not in head.decode("ascii", "replace"):
        raise ValueError("only ASCII PLY is read")
    counts = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("element")}
    rows = [line.split() for line in body.decode("ascii", "replace").splitlines() if line.strip()]
    vertices = [[float(w) for w in row[:3]] for row in rows[:counts["vertex"]]]
    faces = [tuple(int(w) for w in row[1:1 + int(row[0])])
             for row in rows[counts["vertex"]:counts["vertex"] + counts["face"]]]
    return vertices, faces
