// SPDX-License-Identifier: GPL-3.0-or-later
// A section along a drawn line: ground, survey and simulation. Map and replay share it.
(function () {
  'use strict';
  var talus = window.talus, f = talus.fields;
  var LINES = [ // what is drawn, where the page has it
    { key: 'bed', title: 'Ground the blocks ran over', css: 'ground' },
    { key: 'before', title: 'Before', css: 'before' },
    { key: 'after', title: 'Surveyed after', css: 'surveyed' },
    { key: 'surface', title: 'Simulated', css: 'simulated' }];

  function along(line, count) {
    var out = [], length = Math.hypot(line[2] - line[0], line[3] - line[1]);
    for (var i = 0; i <= count; i++) {
      var t = i / count;
      out.push([t * length, line[0] + t * (line[2] - line[0]), line[1] + t * (line[3] - line[1])]);
    }
    return out;
  }
  function curve(points, at) {
    var d = '', down = false;
    points.forEach(function (p) {
      if (!isFinite(p[1])) { down = false; return; }
      d += (down ? 'L' : 'M') + at.x(p[0]).toFixed(1) + ' ' + at.y(p[1]).toFixed(1);
      down = true;
    });
    return d;
  }
  function ticks(low, high, wanted) {
    var step = talus.roundDown(Math.max((high - low) / wanted, 1e-3)), out = [];
    for (var t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) { out.push(t); }
    return out;
  }
  // Draws into `box`. `polygons` (lists of [s, z]) are blocks cut by the line, shown instead of the
  // simulated surface. Gives back what the lines are at even distances, for tests and tables.
  talus.drawSection = function (box, line, polygons, name) {
    var place = along(line, 240), length = place[place.length - 1][0], low = Infinity, high = -Infinity;
    var lines = LINES.filter(function (row) { return f.byKey[row.key] && !(polygons && row.key === 'surface'); }).map(function (row) {
      var points = place.map(function (p) { return [p[0], talus.sample(f.byKey[row.key], p[1], p[2])]; });
      points.forEach(function (p) { if (isFinite(p[1])) { low = Math.min(low, p[1]); high = Math.max(high, p[1]); } });
      return { row: row, points: points };
    });
    (polygons || []).forEach(function (p) { p.forEach(function (q) { low = Math.min(low, q[1]); high = Math.max(high, q[1]); }); });
    if (!(length > 0) || !(low <= high)) { box.innerHTML = '<p class="intro">The line has no ground under it.</p>'; return lines; }
    var width = 1000, left = 70, bottom = 46, pad = 0.06 * (high - low) + 0.5;
    low -= pad; high += pad;
    // Heights true to scale where that leaves a readable picture; a steep line gets a narrower one.
    var tall = Math.min(520, Math.max(190, (high - low) / length * (width - left - 20)));
    var wide = Math.min(width - left - 20, Math.max(360, tall / (high - low) * length)), stretch = tall / (high - low) * length / wide;
    var at = { x: function (s) { return left + s / length * wide; }, y: function (z) { return 14 + (high - z) / (high - low) * tall; } };
    var svg = '<svg viewBox="0 0 ' + width + ' ' + (tall + 14 + bottom) + '" role="img" aria-label="' + name + '"><g class="axis">';
    ticks(0, length, wide / 110).forEach(function (t) { svg += '<path d="M' + at.x(t) + ' 14v' + tall + '"/><text x="' + at.x(t) + '" y="' + (tall + 34) + '" text-anchor="middle">' + +t.toFixed(6) + '</text>'; });
    ticks(low, high, 5).forEach(function (t) { svg += '<path d="M' + left + ' ' + at.y(t) + 'H' + (left + wide) + '"/><text x="' + (left - 8) + '" y="' + (at.y(t) + 5) + '" text-anchor="end">' + +t.toFixed(6) + '</text>'; });
    svg += '<text x="' + (left + wide) + '" y="' + (tall + 54) + '" text-anchor="end">m along the line; height in m' + (stretch > 1.05 || stretch < 0.95 ? ', drawn ' + stretch.toFixed(1) + ' times as tall' : ', true to scale') + '</text></g>';
    (polygons || []).forEach(function (p) {
      svg += '<path class="cut" d="' + curve(p, at) + 'Z"/>';
    });
    var ground = lines[0];
    svg += '<path class="fill" d="' + curve(ground.points.filter(function (p) { return isFinite(p[1]); }).concat([[length, low], [0, low]]), at) + 'Z"/>';
    lines.forEach(function (l) { svg += '<path class="line ' + l.row.css + '" d="' + curve(l.points, at) + '"/>'; });
    svg += '</svg><ul class="legend">' + lines.map(function (l) { return '<li><i class="' + l.row.css + '"></i>' + l.row.title + '</li>'; }).join('') +
      (polygons ? '<li><i class="block"></i>Blocks now</li>' : '') + '</ul>';
    box.innerHTML = svg;
    return lines;
  };
})();
