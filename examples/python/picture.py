# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the examples: curves and bodies as SVG, with nothing but numpy."""

import os
from xml.sax.saxutils import escape

import numpy as np

COLORS = ("#1b6ca8", "#d1495b", "#2e8b57", "#8d6a9f", "#c98a00", "#555555")
FOLDER = os.environ.get("TALUS_PICTURES", os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures"))


def _write(name, parts, width, height):
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, f"{name}.svg")
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n')
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(head + "\n".join(parts) + "\n</svg>\n")
    os.replace(path + ".part", path)
    print(f"{path} written")


def _text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _ticks(low, high):
    raw = (high - low) / 5
    step = 10.0 ** np.floor(np.log10(raw))
    step *= next(k for k in (1, 2, 5, 10) if k * step >= raw)
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step


def plot(name, curves, xlabel, ylabel, title=""):
    """Curves (x, y, label[, dashes]) in one frame."""
    left, top, wide, high = 80, 36, 560, 300
    xs = np.concatenate([np.asarray(c[0], float) for c in curves])
    ys = np.concatenate([np.asarray(c[1], float) for c in curves])
    x0, x1 = xs.min(), xs.max()
    y0, y1 = ys.min() - 0.04 * np.ptp(ys), ys.max() + 0.04 * np.ptp(ys)

    def place(x, y):
        return left + wide * (x - x0) / (x1 - x0), top + high * (1 - (y - y0) / (y1 - y0))

    parts = [_text(left + wide / 2, 20, title, more='font-size="14"'),
             f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#888"/>']
    for tick in _ticks(x0, x1):
        x, _ = place(tick, y0)
        parts.append(f'<path d="M{x:.1f} {top}V{top + high}" stroke="#eee"/>' + _text(x, top + high + 16, f"{tick:g}"))
    for tick in _ticks(y0, y1):
        _, y = place(x0, tick)
        parts.append(f'<path d="M{left} {y:.1f}H{left + wide}" stroke="#eee"/>'
                     + _text(left - 6, y + 4, f"{tick:g}", "end"))
    for k, (x, y, label, *dashes) in enumerate(curves):
        keep = np.unique(np.linspace(0, len(x) - 1, 1200).astype(int))
        points = " ".join("%.1f,%.1f" % place(a, b) for a, b in zip(np.asarray(x)[keep], np.asarray(y)[keep]))
        style = f'stroke-dasharray="{dashes[0]}"' if dashes else ""
        color = COLORS[k % len(COLORS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.6" {style}/>')
        parts.append(f'<path d="M{left + 12} {top + 16 + 16 * k}h24" stroke="{color}" stroke-width="2" {style}/>'
                     + _text(left + 42, top + 20 + 16 * k, label, "start"))
    parts += [_text(left + wide / 2, top + high + 36, xlabel),
              _text(18, top + high / 2, ylabel, more=f'transform="rotate(-90 18 {top + high / 2})"')]
    _write(name, parts, 660, 390)


def snapshot(scene, color=None, only=None):
    """Polygons of the bodies as they stand now: (vertices of a face, color of its body)."""
    found = []
    for b in range(scene.body_count) if only is None else only:
        vertices, faces = scene.polygons(b)
        paint = COLORS[b % len(COLORS)] if color is None else color(b)
        found += [(vertices[list(face)], paint) for face in faces]
    return found


def _shade(color, light):
    return "#%02x%02x%02x" % tuple(int(int(color[k:k + 2], 16) * light) for k in (1, 3, 5))


def draw(name, pictures, azimuth=-60.0, elevation=15.0, title="", width=330, height=300):
    """Snapshots with captions side by side, seen from outside, one scale for all."""
    a, e = np.radians([azimuth, elevation])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    up = np.cross(towards, right)
    points = np.concatenate([face for _, faces in pictures for face, _ in faces])
    u, v = points @ right, points @ up
    scale = min((width - 20) / np.ptp(u), (height - 60) / np.ptp(v))
    parts = [_text(width * len(pictures) / 2, 20, title, more='font-size="14"')]
    parts.append('<g stroke="#333" stroke-width="0.4">')
    for k, (caption, faces) in enumerate(pictures):
        middle = width * (k + 0.5), 40 + (height - 60) / 2
        for face, color in sorted(faces, key=lambda f: float((f[0] @ towards).min())):
            normal = np.cross(face[1] - face[0], face[2] - face[0])
            normal = normal / (np.linalg.norm(normal) or 1.0)
            if normal @ towards <= 0:
                continue
            light = 0.55 + 0.45 * max(0.0, float(normal @ (0.4 * towards + 0.9 * np.array([0.3, 0.2, 1.0]) / 1.06)))
            corner = [(middle[0] + scale * (p @ right - (u.max() + u.min()) / 2),
                       middle[1] - scale * (p @ up - (v.max() + v.min()) / 2)) for p in face]
            parts.append('<polygon points="%s" fill="%s"/>' % (
                " ".join("%.1f,%.1f" % p for p in corner), _shade(color, min(1.0, light))))
    parts.append("</g>")
    parts += [_text(width * (k + 0.5), height - 6, caption) for k, (caption, _) in enumerate(pictures)]
    _write(name, parts, width * len(pictures), height)
