// SPDX-License-Identifier: GPL-3.0-or-later
// Draws blocks without a graphics card: faces that can be seen, as polygons of one colour, straight into
// an array of pixels. Software that imitates a graphics card takes ten times as long over small faces.
(function () {
  'use strict';
  var talus = window.talus, SIDE = 768; // texels of the sun's picture: shadows of the demo's blocks are 20 wide

  talus.makeRaster = function (shape, count, relief) {
    var light = talus.lightColours, sun = talus.vector.unit(talus.sun), way = talus.lookFrom([0, 0, 0], sun, [0, 0, 1]);
    var world = new Float64Array(shape.vertex.length), turn = new Float64Array(9 * count), map = new Float32Array(SIDE * SIDE);
    var low = [0, 0], scale = [1, 1]; // of the sun's picture, in metres across its rays
    var middle = new Float32Array(3 * (shape.cornerStart.length - 1)); // of faces
    var px, py, pz, left = new Float64Array(16384), right = new Float64Array(16384), bottom = 0, top = -1, slope = [0, 0, 0];
    (function () {
      var most = 0;
      for (var face = 0; face + 1 < shape.cornerStart.length; face++) { most = Math.max(most, shape.cornerStart[face + 1] - shape.cornerStart[face]); }
      px = new Float64Array(most); py = new Float64Array(most); pz = new Float64Array(most);
      for (var b = 0; b < count; b++) {
        for (var f = shape.faceStart[b]; f < shape.faceStart[b + 1]; f++) {
          for (var c = shape.cornerStart[f], n = shape.cornerStart[f + 1] - c, i = 0; i < 3 * n; i++) {
            middle[3 * f + i % 3] += shape.vertex[3 * (shape.vertexStart[b] + shape.corner[c + (i / 3 | 0)]) + i % 3] / n;
          }
        }
      }
    })();
    // Rows of the polygon of n points in px, py, where each begins and ends; and its depth over the picture.
    function span(n, rows) {
      var least = Infinity, most = -Infinity, i, k, y;
      for (i = 0; i < n; i++) { if (py[i] < least) { least = py[i]; } if (py[i] > most) { most = py[i]; } }
      bottom = Math.max(0, Math.ceil(least - 0.5)); top = Math.min(rows, Math.ceil(most - 0.5)) - 1;
      for (y = bottom; y <= top; y++) { left[y] = Infinity; right[y] = -Infinity; }
      for (i = 0, k = n - 1; i < n; k = i++) {
        var a = py[i] < py[k] ? i : k, b = i + k - a, run = (px[b] - px[a]) / (py[b] - py[a]);
        var to = Math.min(rows, Math.ceil(py[b] - 0.5));
        for (y = Math.max(0, Math.ceil(py[a] - 0.5)); y < to; y++) {
          var x = px[a] + (y + 0.5 - py[a]) * run;
          if (x < left[y]) { left[y] = x; }
          if (x > right[y]) { right[y] = x; }
        }
      }
      if (bottom > top) { return false; }
      i = n / 3 | 0; k = 2 * n / 3 | 0;
      var ax = px[i] - px[0], ay = py[i] - py[0], az = pz[i] - pz[0], bx = px[k] - px[0], by = py[k] - py[0], bz = pz[k] - pz[0], area = ax * by - ay * bx;
      if (Math.abs(area) < 1e-9) { return false; }
      slope[0] = (az * by - ay * bz) / area; slope[1] = (ax * bz - az * bx) / area; slope[2] = pz[0] - slope[0] * px[0] - slope[1] * py[0];
      return true;
    }
    // Corners of all blocks where they are now.
    function place(pose) {
      for (var b = 0; b < count; b++) {
        var at = 12 * b, w = pose[at + 4], x = pose[at + 5], y = pose[at + 6], z = pose[at + 7], t = 9 * b;
        var r0 = turn[t] = 1 - 2 * (y * y + z * z), r1 = turn[t + 1] = 2 * (x * y - w * z), r2 = turn[t + 2] = 2 * (x * z + w * y);
        var r3 = turn[t + 3] = 2 * (x * y + w * z), r4 = turn[t + 4] = 1 - 2 * (x * x + z * z), r5 = turn[t + 5] = 2 * (y * z - w * x);
        var r6 = turn[t + 6] = 2 * (x * z - w * y), r7 = turn[t + 7] = 2 * (y * z + w * x), r8 = turn[t + 8] = 1 - 2 * (x * x + y * y);
        for (var i = 3 * shape.vertexStart[b], end = 3 * shape.vertexStart[b + 1]; i < end; i += 3) {
          var vx = shape.vertex[i], vy = shape.vertex[i + 1], vz = shape.vertex[i + 2];
          world[i] = pose[at] + r0 * vx + r1 * vy + r2 * vz;
          world[i + 1] = pose[at + 1] + r3 * vx + r4 * vy + r5 * vz;
          world[i + 2] = pose[at + 2] + r6 * vx + r7 * vy + r8 * vz;
        }
      }
    }
    // The sun's picture: how far towards it the highest face stands. It holds all blocks.
    function castShadows(pose) {
      var hi = [-Infinity, -Infinity], b, k;
      low = [Infinity, Infinity];
      for (b = 0; b < count; b++) {
        for (k = 0; k < 2; k++) {
          var s = way[k] * pose[12 * b] + way[4 + k] * pose[12 * b + 1] + way[8 + k] * pose[12 * b + 2], r = pose[12 * b + 3];
          if (s - r < low[k]) { low[k] = s - r; }
          if (s + r > hi[k]) { hi[k] = s + r; }
        }
      }
      scale = [SIDE / Math.max(hi[0] - low[0], 1e-3), SIDE / Math.max(hi[1] - low[1], 1e-3)];
      map.fill(-Infinity);
      for (b = 0; b < count; b++) {
        var t = 9 * b, first = shape.vertexStart[b];
        var x = turn[t] * sun[0] + turn[t + 3] * sun[1] + turn[t + 6] * sun[2], y = turn[t + 1] * sun[0] + turn[t + 4] * sun[1] + turn[t + 7] * sun[2], z = turn[t + 2] * sun[0] + turn[t + 5] * sun[1] + turn[t + 8] * sun[2];
        for (var f = shape.faceStart[b]; f < shape.faceStart[b + 1]; f++) {
          if (shape.plane[4 * f] * x + shape.plane[4 * f + 1] * y + shape.plane[4 * f + 2] * z <= 0) { continue; }
          for (var c0 = shape.cornerStart[f], n = shape.cornerStart[f + 1] - c0, c = 0; c < n; c++) {
            var v = 3 * (first + shape.corner[c0 + c]), X = world[v], Y = world[v + 1], Z = world[v + 2];
            px[c] = (way[0] * X + way[4] * Y + way[8] * Z - low[0]) * scale[0];
            py[c] = (way[1] * X + way[5] * Y + way[9] * Z - low[1]) * scale[1];
            pz[c] = way[2] * X + way[6] * Y + way[10] * Z;
          }
          if (span(n, SIDE)) { fillMap(); }
        }
      }
    }
    function fillMap() {
      for (var row = bottom; row <= top; row++) {
        var from = Math.max(0, Math.ceil(left[row] - 0.5)), to = Math.min(SIDE, Math.ceil(right[row] - 0.5)), depth = slope[0] * (from + 0.5) + slope[1] * (row + 0.5) + slope[2];
        for (var i = row * SIDE + from, end = row * SIDE + to; i < end; i++, depth += slope[0]) { if (depth > map[i]) { map[i] = depth; } }
      }
    }
    // Is a place, told across and along the sun's rays, in the shadow of a block? A texel's width is let pass:
    // a face stands in the picture itself.
    function isShaded(u, v, along) {
      var c = (u - low[0]) * scale[0] | 0, r = (v - low[1]) * scale[1] | 0;
      return u > low[0] && v > low[1] && c < SIDE && r < SIDE && map[r * SIDE + c] > along + 1.5 / Math.min(scale[0], scale[1]);
    }
    // The share of a face that the sun sees: its middle, and points between that and its corners.
    function sunShare(face, block, cx, cy, cz, nx, ny, nz, lift) {
      var c0 = shape.cornerStart[face], n = shape.cornerStart[face + 1] - c0, step = n > 4 ? 2 : 1, lit = 0, looks = 0;
      for (var c = -1; c < n; c += c < 0 ? 1 : step, looks++) {
        var v = c < 0 ? 0 : 3 * (shape.vertexStart[block] + shape.corner[c0 + c]), near = c < 0 ? 0 : 0.6;
        var x = cx + near * (world[v] - cx) + lift * nx, y = cy + near * (world[v + 1] - cy) + lift * ny, z = cz + near * (world[v + 2] - cz) + lift * nz;
        lit += isShaded(way[0] * x + way[4] * y + way[8] * z, way[1] * x + way[5] * y + way[9] * z, way[2] * x + way[6] * y + way[10] * z) ? 0 : 1;
      }
      return lit / looks;
    }
    // A pixel of this light, as the shaders have it (`lit` and `film`), and a bit more of it for edges.
    function pixel(pose, at, nz, open, lamp, more) {
      var out = 0xff000000;
      for (var k = 0; k < 3; k++) {
        var c = more * pose[at + 8 + k] * ((light.bounce[k] + (light.sky[k] - light.bounce[k]) * (0.5 + 0.5 * nz)) * open + light.sun[k] * lamp);
        out |= Math.min(255, 255 * Math.sqrt(c / (1 + 0.22 * c))) << 8 * k;
      }
      return out >>> 0;
    }
    function fillPicture(picture, from, inside, edge) {
      var width = picture.width, depth = picture.depth, colour = picture.colour;
      for (var row = bottom; row <= top; row++) {
        var first = Math.max(from, Math.ceil(left[row] - 0.5)), last = Math.min(width, Math.ceil(right[row] - 0.5)) - 1;
        var z = slope[0] * (first + 0.5) + slope[1] * (row + 0.5) + slope[2];
        for (var x = first, i = row * width + first; x <= last; x++, i++, z += slope[0]) {
          if (z < depth[i]) { depth[i] = z; colour[i] = x === first || x === last ? edge : inside; }
        }
      }
    }
    // Faces towards the eye of the blocks inside the picture; none left of the column `from`.
    function drawBlocks(pose, picture, view, eye, from) {
      var halfWide = picture.width / 2, halfTall = picture.height / 2;
      var sx = Math.hypot(view[0], view[4], view[8]), sy = Math.hypot(view[1], view[5], view[9]);
      for (var b = 0; b < count; b++) {
        var at = 12 * b, t = 9 * b, bx = pose[at], by = pose[at + 1], bz = pose[at + 2], radius = pose[at + 3];
        var far = view[3] * bx + view[7] * by + view[11] * bz + view[15];
        if (far < 1.5 * radius || Math.abs(view[0] * bx + view[4] * by + view[8] * bz + view[12]) > far + (sx + 1) * radius ||
            Math.abs(view[1] * bx + view[5] * by + view[9] * bz + view[13]) > far + (sy + 1) * radius) { continue; }
        var dx = eye[0] - bx, dy = eye[1] - by, dz = eye[2] - bz, sunny = relief(bx, by), first = shape.vertexStart[b], hasEdges = sy * radius / far * halfTall > 7;
        var x = turn[t] * dx + turn[t + 3] * dy + turn[t + 6] * dz, y = turn[t + 1] * dx + turn[t + 4] * dy + turn[t + 7] * dz, z = turn[t + 2] * dx + turn[t + 5] * dy + turn[t + 8] * dz;
        for (var f = shape.faceStart[b]; f < shape.faceStart[b + 1]; f++) {
          var nx = shape.plane[4 * f], ny = shape.plane[4 * f + 1], nz = shape.plane[4 * f + 2];
          if (nx * x + ny * y + nz * z <= shape.plane[4 * f + 3]) { continue; }
          for (var c0 = shape.cornerStart[f], n = shape.cornerStart[f + 1] - c0, c = 0; c < n; c++) {
            var v = 3 * (first + shape.corner[c0 + c]), X = world[v], Y = world[v + 1], Z = world[v + 2], w = 1 / (view[3] * X + view[7] * Y + view[11] * Z + view[15]);
            px[c] = halfWide * (1 + (view[0] * X + view[4] * Y + view[8] * Z + view[12]) * w);
            py[c] = halfTall * (1 - (view[1] * X + view[5] * Y + view[9] * Z + view[13]) * w);
            pz[c] = 0.5 + 0.5 * (view[2] * X + view[6] * Y + view[10] * Z + view[14]) * w;
          }
          if (!span(n, picture.height)) { continue; }
          var wx = turn[t] * nx + turn[t + 1] * ny + turn[t + 2] * nz, wy = turn[t + 3] * nx + turn[t + 4] * ny + turn[t + 5] * nz, wz = turn[t + 6] * nx + turn[t + 7] * ny + turn[t + 8] * nz;
          var mx = middle[3 * f], my = middle[3 * f + 1], mz = middle[3 * f + 2], rise = turn[t + 6] * mx + turn[t + 7] * my + turn[t + 8] * mz;
          var open = 0.45 + 0.55 * Math.min(1, Math.max(0, 0.5 + 0.5 * rise / radius)), lamp = sunny * (wx * sun[0] + wy * sun[1] + wz * sun[2]);
          if (lamp > 0) {
            lamp *= sunShare(f, b, bx + turn[t] * mx + turn[t + 1] * my + turn[t + 2] * mz, by + turn[t + 3] * mx + turn[t + 4] * my + turn[t + 5] * mz, bz + rise, wx, wy, wz, 0.06 * radius);
          } else { lamp = 0; }
          var inside = pixel(pose, at, wz, open, lamp, 1);
          fillPicture(picture, from, inside, hasEdges ? pixel(pose, at, wz, open, lamp, 1.22) : inside);
        }
      }
    }
    // Blocks darken the kept ground; `sunPlace` holds three numbers a pixel.
    function shadeGround(picture, ground) {
      var place = ground.sunPlace, colour = picture.colour, shaded = ground.shaded;
      var u0 = low[0], v0 = low[1], ku = scale[0], kv = scale[1];
      for (var i = 0, k = 0; i < colour.length; i++, k += 3) {
        var u = (place[k] - u0) * ku, v = (place[k + 1] - v0) * kv;
        if (u >= 0 && v >= 0 && u < SIDE && v < SIDE && map[(v | 0) * SIDE + (u | 0)] > place[k + 2]) { colour[i] = shaded[i]; }
      }
    }
    return { way: way, place: place, castShadows: castShadows, shadeGround: shadeGround, drawBlocks: drawBlocks };
  };
})();
