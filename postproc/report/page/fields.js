// SPDX-License-Identifier: GPL-3.0-or-later
// The rasters of the page: unpacked, sampled, coloured and lit. Map, replay and sections share them.
(function () {
  'use strict';
  var talus = window.talus = {};
  talus.element = function (id) { return document.getElementById(id); };
  talus.bytes = function (text) {
    var raw = atob(text), out = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) { out[i] = raw.charCodeAt(i); }
    return out.buffer;
  };
  // Words of 16 bits: 65535 and a count is a run without data, anything else is a value.
  function unpack(layer, cells) {
    var word = new Uint16Array(talus.bytes(layer.packed)), out = new Float32Array(cells).fill(NaN), at = 0;
    for (var i = 0; i < word.length; i++) {
      if (word[i] === 65535) { at += word[++i]; } else { out[at++] = layer.low + layer.step * word[i]; }
    }
    layer.packed = null;
    return out;
  }
  var source = talus.element('report-fields');
  var f = talus.fields = source ? JSON.parse(source.textContent) : null;
  if (!f) { return; }
  source.textContent = '';
  f.byKey = {};
  f.layers.forEach(function (layer) {
    layer.value = unpack(layer, f.columns * f.rows);
    f.byKey[layer.key] = layer;
  });
  f.shown = f.layers.filter(function (layer) { return layer.ramp; });
  f.east = f.west + f.columns * f.cell;
  f.south = f.north - f.rows * f.cell;

  // The value of the cell at a place, or between cell centres; NaN outside and where there is none.
  talus.cellValue = function (layer, x, y) {
    var c = Math.floor((x - f.west) / f.cell), r = Math.floor((f.north - y) / f.cell);
    return c >= 0 && r >= 0 && c < f.columns && r < f.rows ? layer.value[r * f.columns + c] : NaN;
  };
  talus.sample = function (layer, x, y) {
    var u = (x - f.west) / f.cell - 0.5, v = (f.north - y) / f.cell - 0.5;
    var c = Math.floor(u), r = Math.floor(v), s = u - c, t = v - r, z = layer.value, n = f.columns;
    if (c < 0 || r < 0 || c + 1 >= n || r + 1 >= f.rows) { return talus.cellValue(layer, x, y); }
    var at = r * n + c, value = (1 - t) * ((1 - s) * z[at] + s * z[at + 1]) + t * ((1 - s) * z[at + n] + s * z[at + n + 1]);
    return isFinite(value) ? value : talus.cellValue(layer, x, y);
  };

  // Every ramp darkens or lightens evenly, so that it also reads in grey and with any colour vision.
  var RAMPS = {
    warm: [[255, 240, 170], [253, 197, 98], [240, 138, 60], [203, 82, 42], [146, 40, 36], [84, 18, 30]],
    even: [[38, 33, 92], [45, 92, 140], [38, 148, 139], [112, 198, 98], [248, 228, 60]],
    late: [[248, 228, 60], [112, 198, 98], [38, 148, 139], [45, 92, 140], [38, 33, 92]],
    change: [[127, 44, 0], [213, 94, 0], [247, 178, 103], [245, 240, 232], [120, 180, 222], [0, 114, 178], [0, 52, 104]]
  };
  talus.rampColour = function (name, share, out) {
    var stop = RAMPS[name], s = Math.min(0.99999, Math.max(0, share)) * (stop.length - 1), i = Math.floor(s), t = s - i;
    for (var c = 0; c < 3; c++) { out[c] = stop[i][c] + t * (stop[i + 1][c] - stop[i][c]); }
    return out;
  };
  talus.rampCss = function (name) {
    return 'linear-gradient(90deg,' + RAMPS[name].map(function (c) { return 'rgb(' + c.join() + ')'; }).join() + ')';
  };
  // A picture of a layer, a pixel a cell.
  talus.paint = function (layer) {
    var canvas = document.createElement('canvas'), rgb = [0, 0, 0];
    canvas.width = f.columns; canvas.height = f.rows;
    var context = canvas.getContext('2d'), image = context.createImageData(f.columns, f.rows);
    for (var i = 0; i < layer.value.length; i++) {
      if (!isFinite(layer.value[i])) { continue; }
      talus.rampColour(layer.ramp, (layer.value[i] - layer.from) / (layer.to - layer.from), rgb);
      for (var c = 0; c < 3; c++) { image.data[4 * i + c] = rgb[c]; }
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
  };

  // ---- numbers ------------------------------------------------------------------------------------
  talus.digits = function (value) {
    var size = Math.abs(value);
    return size >= 100 ? String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f') : size >= 10 ? value.toFixed(1) : size >= 0.01 || size === 0 ? value.toFixed(2) : value.toPrecision(2);
  };
  var UNITS = { kg: [[1e6, 'kt'], [1e3, 't'], [1, 'kg']], J: [[1e12, 'TJ'], [1e9, 'GJ'], [1e6, 'MJ'], [1e3, 'kJ'], [1, 'J']] };
  // In a unit of a readable size: 12.3 MJ.
  talus.amount = function (value, unit) {
    if (unit === 'kJ') { value *= 1000; unit = 'J'; }
    var units = UNITS[unit];
    if (!units) { return talus.digits(value) + (unit ? '\u00a0' + unit : ''); }
    for (var i = 0; i < units.length - 1 && Math.abs(value) < units[i][0];) { i++; }
    return talus.digits(value / units[i][0]) + '\u00a0' + units[i][1];
  };
  // The ends of a scale are round: 0 and 50 m, not 0.00 and 50.0 m.
  talus.roundAmount = function (value, unit) { return talus.amount(value, unit).replace(/(\d)\.0+(?=\u00a0|$)/, '$1'); };
  // The greatest 1, 2 or 5 times a power of ten that is not above.
  talus.roundDown = function (value) {
    var unit = Math.pow(10, Math.floor(Math.log10(value)));
    return unit * (value >= 5 * unit ? 5 : value >= 2 * unit ? 2 : 1);
  };

  // ---- controls -----------------------------------------------------------------------------------
  talus.legendHtml = function (layer) {
    return '<b>' + layer.title + '</b> ' + talus.roundAmount(layer.from, layer.unit) + ' <span class="ramp" style="background:' + talus.rampCss(layer.ramp) + '"></span> ' + talus.roundAmount(layer.to, layer.unit);
  };
  talus.option = function (select, value, title) {
    var o = document.createElement('option');
    o.value = value; o.textContent = title;
    select.appendChild(o);
  };

  // ---- light --------------------------------------------------------------------------------------
  talus.sun = [-0.575, 0.43, 0.696]; // towards the sun: x east, y north, z up
  // How high the ground stands against the sky in a direction: the greatest slope up, as a tangent.
  function horizon(z, c, r, dx, dy, steps, growth) {
    var at = z[r * f.columns + c], most = 0, far = 1;
    for (var k = 0; k < steps; k++) {
      var u = Math.round(c + dx * far), v = Math.round(r + dy * far);
      if (u < 0 || v < 0 || u >= f.columns || v >= f.rows) { break; }
      var rise = (z[v * f.columns + u] - at) / (far * f.cell);
      if (rise > most) { most = rise; }
      far = Math.max(far + 1, far * growth);
    }
    return most;
  }
  // The mean over five by five cells, twice: the edge of a shadow, which cells draw as blots, becomes soft.
  function soften(values) {
    var n = f.columns, other = new Float32Array(values.length);
    [1, n, 1, n].forEach(function (step) {
      for (var i = 0; i < values.length; i++) {
        var at = step === 1 ? i % n : Math.floor(i / n), end = step === 1 ? n : f.rows, sum = 0, count = 0;
        for (var k = Math.max(-2, -at); k <= 2 && at + k < end; k++) { sum += values[i + k * step]; count++; }
        other[i] = sum / count;
      }
      values.set(other);
    });
  }
  // Per cell four bytes: normal (east, north), open share of the sky, and whether the sun shines.
  talus.light = function (layer) {
    var n = f.columns, z = layer.value, out = new Uint8Array(4 * n * f.rows), sunny = new Float32Array(n * f.rows);
    var flat = Math.hypot(talus.sun[0], talus.sun[1]), sunRise = talus.sun[2] / flat;
    for (var r = 0; r < f.rows; r++) {
      for (var c = 0; c < n; c++) {
        var at = r * n + c, e = c + 1 < n && isFinite(z[at + 1]) ? at + 1 : at, w = c > 0 && isFinite(z[at - 1]) ? at - 1 : at;
        var u = r > 0 && isFinite(z[at - n]) ? at - n : at, d = r + 1 < f.rows && isFinite(z[at + n]) ? at + n : at;
        var gx = e > w ? (z[e] - z[w]) / ((e - w) * f.cell) : 0, gy = d > u ? (z[u] - z[d]) / ((d - u) / n * f.cell) : 0;
        var length = Math.sqrt(1 + gx * gx + gy * gy), open = 0;
        for (var k = 0; k < 8; k++) {
          var rise = horizon(z, c, r, Math.cos(k * Math.PI / 4), Math.sin(k * Math.PI / 4), 9, 1.7);
          open += 1 / (1 + rise * rise) / 8;
        }
        var shade = horizon(z, c, r, talus.sun[0] / flat, -talus.sun[1] / flat, 40, 1.06) - sunRise;
        if (!isFinite(z[at])) { gx = gy = 0; length = open = 1; shade = -1; }
        out[4 * at] = 127.5 - 127.5 * gx / length;
        out[4 * at + 1] = 127.5 - 127.5 * gy / length;
        out[4 * at + 2] = 255 * open;
        sunny[at] = Math.min(1, Math.max(0, 0.5 - shade / 0.3));
      }
    }
    soften(sunny);
    for (var i = 0; i < sunny.length; i++) { out[4 * i + 3] = 255 * sunny[i]; }
    return out;
  };
  // A shaded picture of a surface, a pixel a cell: the light of the static map.
  talus.shade = function (layer) {
    var canvas = document.createElement('canvas'), z = layer.value, n = f.columns;
    canvas.width = n; canvas.height = f.rows;
    var context = canvas.getContext('2d'), image = context.createImageData(n, f.rows);
    var lamps = [[0.62, 315, 40], [0.22, 20, 45], [0.16, 250, 60]].map(function (l) {
      var a = l[1] * Math.PI / 180, h = l[2] * Math.PI / 180;
      return [l[0], Math.sin(a) * Math.cos(h), Math.cos(a) * Math.cos(h), Math.sin(h)];
    });
    for (var i = 0; i < z.length; i++) {
      if (!isFinite(z[i])) { continue; }
      var c = i % n, w = c > 0 && isFinite(z[i - 1]) ? 1 : 0, e = c + 1 < n && isFinite(z[i + 1]) ? 1 : 0;
      var u = i >= n && isFinite(z[i - n]) ? n : 0, d = i + n < z.length && isFinite(z[i + n]) ? n : 0;
      var gx = w + e > 0 ? (z[i + e] - z[i - w]) / ((w + e) * f.cell) : 0, gy = u + d > 0 ? (z[i - u] - z[i + d]) / ((u + d) / n * f.cell) : 0;
      var length = Math.sqrt(1 + gx * gx + gy * gy), sum = 0;
      lamps.forEach(function (l) { sum += l[0] * Math.max(0, (l[3] - gx * l[1] - gy * l[2]) / length); });
      var tone = 255 * (0.27 + 0.7 * Math.pow(Math.min(1, sum), 0.9));
      image.data[4 * i] = tone; image.data[4 * i + 1] = 0.985 * tone; image.data[4 * i + 2] = 0.955 * tone; image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
  };
})();
