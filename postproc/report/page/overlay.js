// SPDX-License-Identifier: GPL-3.0-or-later
// What lies over the replay's picture: scale bar, north, time, legend, the edge of the wipe. Drawn
// on a canvas of its own, so that films hold it too.
(function () {
  'use strict';
  var talus = window.talus;
  function plate(c, x, y, w, h, dark) {
    c.fillStyle = dark ? 'rgba(20,24,28,.72)' : 'rgba(255,255,255,.78)';
    c.beginPath(); c.roundRect ? c.roundRect(x, y, w, h, 6) : c.rect(x, y, w, h); c.fill();
  }
  function text(metres) { return metres >= 1000 ? metres / 1000 + ' km' : metres + ' m'; }

  // `state`: width, height, ratio, dark, pixel (m per pixel at the target), azimuth, time, total,
  // legend (a colouring or null), wipe (0..1 or below 0), contour (m or 0), title (for films).
  talus.drawOverlay = function (canvas, state) {
    var u = state.unit || 1, c = canvas.getContext('2d'), w = state.width, h = state.height, ink = state.dark ? '#f2f0ea' : '#14181c';
    c.setTransform(state.ratio, 0, 0, state.ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    c.font = '600 ' + 13 * u + 'px system-ui, "DejaVu Sans", sans-serif';
    c.textBaseline = 'alphabetic';
    var metres = talus.roundDown(state.pixel * Math.min(190 * u, w / 3)), bar = metres / state.pixel;
    plate(c, 12 * u, h - 50 * u, Math.max(bar, 64 * u) + 24 * u, 38 * u, state.dark);
    c.fillStyle = c.strokeStyle = ink; c.lineWidth = 2 * u;
    c.fillText(text(metres), 24 * u, h - 31 * u);
    c.beginPath(); c.moveTo(24 * u, h - 26 * u); c.lineTo(24 * u, h - 20 * u); c.lineTo(24 * u + bar, h - 20 * u); c.lineTo(24 * u + bar, h - 26 * u); c.stroke();
    // North, as seen from here.
    var x = w - 34 * u, y = h - 38 * u;
    plate(c, x - 22 * u, y - 26 * u, 44 * u, 52 * u, state.dark);
    c.save(); c.translate(x, y); c.rotate(-state.azimuth - Math.PI); c.fillStyle = ink;
    c.beginPath(); c.moveTo(0, -20 * u); c.lineTo(8 * u, 6 * u); c.lineTo(0, 1 * u); c.lineTo(-8 * u, 6 * u); c.fill();
    c.textAlign = 'center'; c.font = '700 ' + 11 * u + 'px system-ui, "DejaVu Sans", sans-serif'; c.fillText('N', 0, 18 * u);
    c.restore();
    c.textAlign = 'left';
    var clock = state.time.toFixed(1) + ' s', wide;
    c.font = '600 ' + 15 * u + 'px system-ui, "DejaVu Sans", sans-serif';
    wide = Math.max(c.measureText(clock).width, c.measureText(state.total.toFixed(1) + ' s').width);
    plate(c, 12 * u, 12 * u, wide + 24 * u, 32 * u, state.dark);
    c.fillStyle = ink; c.fillText(clock, 24 * u, 33 * u);
    c.font = '500 ' + 12 * u + 'px system-ui, "DejaVu Sans", sans-serif';
    var top = 54 * u;
    if (state.legend) { top = drawLegend(c, state.legend, top, u, ink, state.dark); }
    if (state.contour > 0) {
      var words = 'Contours every ' + text(state.contour);
      plate(c, 12 * u, top, c.measureText(words).width + 24 * u, 26 * u, state.dark);
      c.fillStyle = ink; c.fillText(words, 24 * u, top + 17 * u);
    }
    if (state.wipe >= 0) {
      c.strokeStyle = '#fff'; c.lineWidth = 3 * u;
      c.beginPath(); c.moveTo(state.wipe * w, 0); c.lineTo(state.wipe * w, h); c.stroke();
      c.font = '650 ' + 13 * u + 'px system-ui, "DejaVu Sans", sans-serif';
      [['Survey', -1], ['Simulation', 1]].forEach(function (side) {
        var half = c.measureText(side[0]).width, at = state.wipe * w + (side[1] < 0 ? -half - 24 * u : 12 * u);
        plate(c, at - 6 * u, 12 * u, half + 18 * u, 26 * u, state.dark);
        c.fillStyle = ink; c.fillText(side[0], at + 3 * u, 30 * u);
      });
    }
    if (state.title) {
      c.font = '650 ' + 17 * u + 'px system-ui, "DejaVu Sans", sans-serif';
      var most = w - 150 * u, size = Math.min(c.measureText(state.title).width, most);
      plate(c, w - size - 36 * u, 12 * u, size + 24 * u, 34 * u, state.dark);
      c.fillStyle = ink; c.fillText(state.title, w - size - 24 * u, 35 * u, most);
    }
  };
  function drawLegend(c, row, top, u, ink, dark) {
    var long = 150 * u, low = talus.roundAmount(row.ends[0], row.unit), high = talus.roundAmount(row.ends[1], row.unit);
    plate(c, 12 * u, top, long + 24 * u, 56 * u, dark);
    c.fillStyle = ink; c.fillText(row.title, 24 * u, top + 17 * u);
    var rgb = [0, 0, 0];
    for (var i = 0; i < 50; i++) {
      talus.rampColour('even', i / 49, rgb);
      c.fillStyle = 'rgb(' + rgb.map(Math.round).join() + ')';
      c.fillRect(24 * u + i * long / 50, top + 24 * u, long / 50 + 1, 9 * u);
    }
    c.fillStyle = ink;
    c.fillText(low, 24 * u, top + 48 * u);
    c.textAlign = 'right'; c.fillText(high, 24 * u + long, top + 48 * u); c.textAlign = 'left';
    return top + 66 * u;
  }
})();
