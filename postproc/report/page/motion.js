// SPDX-License-Identifier: GPL-3.0-or-later
// The motion of the replay: unpacked, asked for any moment, and what blocks can be coloured by.
(function () {
  'use strict';
  var talus = window.talus, v = talus.vector;

  talus.readMotion = function (data) {
    var bytes = talus.bytes, low = data.low, step = data.step, count = data.blocks;
    var centre = [0, 1, 2].map(function (i) { return low[i] + step[i] * 32767.5; });
    var place = new Uint16Array(bytes(data.position)), turn = new Int16Array(bytes(data.turn));
    var m = { blockCount: count, centre: centre, time: new Float32Array(bytes(data.time)), number: new Float32Array(bytes(data.number)), now: 0, frame: 0, share: 0 };
    m.frameCount = m.time.length;
    m.last = m.time[m.frameCount - 1];
    function metres(q, i) { return low[i] + step[i] * q - centre[i]; }
    m.mesh = function (name) {
      if (!data[name + '_node']) { return null; }
      var node = new Uint16Array(bytes(data[name + '_node'])), out = new Float32Array(node.length);
      for (var i = 0; i < node.length; i++) { out[i] = metres(node[i], i % 3); }
      return { place: out, index: new Uint32Array(bytes(data[name + '_face'])) };
    };
    var s = m.shape = { vertex: new Float32Array(bytes(data.vertex)), vertexStart: new Int32Array(bytes(data.vertex_start)),
      faceStart: new Int32Array(bytes(data.face_start)), cornerStart: new Int32Array(bytes(data.corner_start)), corner: new Uint16Array(bytes(data.corner)) };
    s.plane = new Float32Array(4 * (s.cornerStart.length - 1)); // outward normal, distance from the centre
    m.radius = new Float32Array(count);
    m.size = new Float32Array(count); // cube root of the volume
    for (var b = 0; b < count; b++) {
      var v0 = 3 * s.vertexStart[b];
      m.size[b] = Math.cbrt(m.number[5 * b]);
      for (var i = v0; i < 3 * s.vertexStart[b + 1]; i += 3) { m.radius[b] = Math.max(m.radius[b], Math.hypot(s.vertex[i], s.vertex[i + 1], s.vertex[i + 2])); }
      for (var f = s.faceStart[b]; f < s.faceStart[b + 1]; f++) {
        var n = [0, 0, 0], p = s.vertex.subarray(v0 + 3 * s.corner[s.cornerStart[f]]);
        for (var c = s.cornerStart[f] + 1; c + 1 < s.cornerStart[f + 1]; c++) {
          var q = s.vertex.subarray(v0 + 3 * s.corner[c]), r = s.vertex.subarray(v0 + 3 * s.corner[c + 1]);
          var part = v.cross([q[0] - p[0], q[1] - p[1], q[2] - p[2]], [r[0] - p[0], r[1] - p[1], r[2] - p[2]]);
          n = [n[0] + part[0], n[1] + part[1], n[2] + part[2]];
        }
        n = v.unit(n);
        s.plane.set([n[0], n[1], n[2], v.dot(n, p)], 4 * f);
      }
    }
    data.position = data.turn = data.vertex = data.corner = null;

    m.placeAt = function (block, frame, out) {
      var at = 3 * (frame * count + block);
      for (var k = 0; k < 3; k++) { out[k] = metres(place[at + k], k); }
      return out;
    };
    m.setTime = function (t) {
      var a = 0, z = m.frameCount - 1;
      m.now = Math.min(m.last, Math.max(0, t));
      while (z - a > 1) { var mid = (a + z) >> 1; if (m.time[mid] <= m.now) { a = mid; } else { z = mid; } }
      m.frame = a;
      m.share = z > a ? Math.min(1, Math.max(0, (m.now - m.time[a]) / (m.time[z] - m.time[a]))) : 0;
    };
    // Place (3) and turn (4, scalar first) of a block now, into out from `at` and `at + 4`.
    m.pose = function (block, out, at) {
      var next = Math.min(m.frame + 1, m.frameCount - 1), t = m.share, k;
      var a = 3 * (m.frame * count + block), z = 3 * (next * count + block);
      for (k = 0; k < 3; k++) { out[at + k] = metres(place[a + k] + t * (place[z + k] - place[a + k]), k); }
      a = 4 * (m.frame * count + block); z = 4 * (next * count + block);
      var same = turn[a] * turn[z] + turn[a + 1] * turn[z + 1] + turn[a + 2] * turn[z + 2] + turn[a + 3] * turn[z + 3] < 0 ? -1 : 1, sum = 0;
      for (k = 0; k < 4; k++) {
        var q = turn[a + k] + t * (same * turn[z + k] - turn[a + k]);
        out[at + 4 + k] = q;
        sum += q * q;
      }
      sum = 1 / (Math.sqrt(sum) || 1);
      for (k = 0; k < 4; k++) { out[at + 4 + k] *= sum; }
    };
    var p0 = [0, 0, 0], p1 = [0, 0, 0];
    m.speedAt = function (block, frame) {
      var next = Math.min(frame + 1, m.frameCount - 1), dt = m.time[next] - m.time[frame];
      m.placeAt(block, frame, p0); m.placeAt(block, next, p1);
      return dt > 0 ? Math.hypot(p1[0] - p0[0], p1[1] - p0[1], p1[2] - p0[2]) / dt : 0;
    };
    m.fromStart = function (block) {
      m.placeAt(block, 0, p0); m.placeAt(block, m.frame, p1);
      return Math.hypot(p1[0] - p0[0], p1[1] - p0[1], p1[2] - p0[2]);
    };

    // A row a colouring: its name, its unit, a block's value now, and the ends of its scale. Rows
    // with `value` undefined take the rock's own colour.
    function most(column) {
      var out = 0;
      for (var k = 0; k < count; k++) { out = Math.max(out, m.number[5 * k + column]); }
      return out || 1;
    }
    function ends(value) {
      var lo = Infinity, hi = -Infinity;
      for (var k = 0; k < count; k++) { var x = value(k); lo = Math.min(lo, x); hi = Math.max(hi, x); }
      return [lo, hi > lo ? hi : lo + 1];
    }
    function startHeight(block) { return m.placeAt(block, 0, p0)[2] + centre[2] + data.zero; }
    m.colourings = [
      { key: 'rock', title: 'Rock' },
      { key: 'speed', title: 'Speed', unit: 'm/s', ends: [0, most(2)], value: function (b) { return m.speedAt(b, m.frame); } },
      { key: 'energy', title: 'Energy of motion', unit: 'J', ends: [0, most(3)], root: true,
        value: function (b) { var u = m.speedAt(b, m.frame); return 0.5 * m.number[5 * b + 1] * u * u; } },
      { key: 'travel', title: 'Distance from start', unit: 'm', ends: [0, most(4)], value: m.fromStart },
      { key: 'height', title: 'Height in the source', unit: 'm', ends: ends(startHeight), value: startHeight },
      { key: 'volume', title: 'Volume', unit: 'm\u00b3', ends: [0, most(0)], root: true, value: function (b) { return m.number[5 * b]; } }];
    if (data.tension) { // of blocks that deform; below 0: not given
      m.tension = new Float32Array(bytes(data.tension));
      m.strength = data.strength || 0;
      m.colourings.push({ key: 'tension', title: 'Largest tensile stress', unit: 'Pa', ends: [0, Math.max.apply(null, m.tension) > 0 ? Math.max.apply(null, m.tension) : 1],
        value: function (b) { return Math.max(0, m.tension[b]); } });
    }
    return m;
  };
  // The share of a value on a colouring's scale; a root shows small ones where few are large.
  talus.colourShare = function (row, value) {
    var t = Math.max(0, (value - row.ends[0]) / (row.ends[1] - row.ends[0]));
    return row.root ? Math.sqrt(t) : t;
  };

  // The polygon in which a vertical plane cuts a block: points [s, z] around it, s along the line.
  talus.cutBlock = function (motion, block, pose, line) {
    var s = motion.shape, length = Math.hypot(line[2] - line[0], line[3] - line[1]);
    var ux = (line[2] - line[0]) / length, uy = (line[3] - line[1]) / length;
    var side = ux * (pose[1] - line[1]) - uy * (pose[0] - line[0]);
    if (Math.abs(side) > motion.radius[block]) { return null; }
    var w = pose[4], x = pose[5], y = pose[6], z = pose[7], points = [], from = s.vertexStart[block], n = s.vertexStart[block + 1] - from, world = new Float64Array(3 * n);
    for (var i = 0; i < n; i++) {
      var p = s.vertex.subarray(3 * (from + i)), c = v.cross([x, y, z], [p[0], p[1], p[2]]), d = v.cross([x, y, z], [c[0] + w * p[0], c[1] + w * p[1], c[2] + w * p[2]]);
      var X = pose[0] + p[0] + 2 * d[0] - line[0], Y = pose[1] + p[1] + 2 * d[1] - line[1];
      world[3 * i] = ux * X + uy * Y; world[3 * i + 1] = ux * Y - uy * X; world[3 * i + 2] = pose[2] + p[2] + 2 * d[2];
    }
    for (var f = s.faceStart[block]; f < s.faceStart[block + 1]; f++) {
      for (var k = s.cornerStart[f]; k < s.cornerStart[f + 1]; k++) {
        var a = 3 * s.corner[k], b = 3 * s.corner[k + 1 < s.cornerStart[f + 1] ? k + 1 : s.cornerStart[f]];
        if (world[a + 1] < 0 && world[b + 1] >= 0) { // each edge is met once in this sense
          var t = world[a + 1] / (world[a + 1] - world[b + 1]);
          points.push([world[a] + t * (world[b] - world[a]), world[a + 2] + t * (world[b + 2] - world[a + 2])]);
        }
      }
    }
    if (points.length < 3) { return null; }
    var ms = 0, mz = 0;
    points.forEach(function (q) { ms += q[0] / points.length; mz += q[1] / points.length; });
    return points.sort(function (g, h) { return Math.atan2(g[1] - mz, g[0] - ms) - Math.atan2(h[1] - mz, h[0] - ms); });
  };
})();
