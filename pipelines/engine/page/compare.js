// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs of a study side by side: their replays in step, and the difference of their deposits.
(function () {
  'use strict';
  function element(id) { return document.getElementById(id); }
  var root = document.documentElement, runs = JSON.parse(element('compare-runs').textContent);
  var side = ['a', 'b'].map(function (name) { return { select: element('compare-' + name), frame: element('compare-frame-' + name), data: null }; });
  var slider = element('compare-time'), clock = element('compare-clock'), button = element('compare-play'), playing = false, before = 0, view = null;
  var wanted = ['a', 'b'].map(function (name) { var found = new RegExp('[#&]' + name + '=([^&]+)').exec(location.hash); return found ? decodeURIComponent(found[1]) : null; });
  function say(frame, message) {
    message.talus = 1;
    if (frame.contentWindow) { frame.contentWindow.postMessage(message, '*'); }
  }
  function last() { return Math.max.apply(null, side.map(function (s) { return s.data ? s.data.last : 0; })); }
  function setTime(t) {
    t = Math.min(Math.max(0, t), last());
    slider.value = String(t);
    clock.textContent = t.toFixed(1) + ' s of ' + last().toFixed(1) + ' s';
    slider.setAttribute('aria-valuetext', clock.textContent);
    side.forEach(function (s) { say(s.frame, { time: t }); });
  }
  function setPlaying(on) {
    if (on && parseFloat(slider.value) >= last() - 1e-6) { setTime(0); }
    playing = on; before = 0;
    button.textContent = on ? 'Pause' : 'Play';
    button.setAttribute('aria-pressed', on ? 'true' : 'false');
  }
  function open(s) {
    s.data = null;
    s.frame.src = 'about:blank';
    setTimeout(function () { s.frame.src = 'runs/' + s.select.value + '/report.html#beside'; }, 0);
    s.frame.title = 'Replay of ' + s.select.options[s.select.selectedIndex].textContent;
    location.replace('#a=' + side[0].select.value + '&b=' + side[1].select.value);
  }

  // ---- the map of differences -------------------------------------------------------------------
  // Blue where b has more, orange where a has more: both ends darken, so that it reads in grey, too.
  var MORE = [0, 92, 158], LESS = [196, 80, 0];
  function light(bed, grid, i) {
    var n = grid.columns, c = i % n, e = c + 1 < n ? bed[i + 1] : bed[i], w = c > 0 ? bed[i - 1] : bed[i];
    var u = i >= n ? bed[i - n] : bed[i], d = i + n < bed.length ? bed[i + n] : bed[i];
    var gx = (e - w) / (2 * grid.cell), gy = (u - d) / (2 * grid.cell);
    var value = (0.5 * gx - 0.5 * gy + 0.7071) / Math.sqrt(1 + gx * gx + gy * gy);
    return isFinite(value) ? 0.35 + 0.62 * Math.max(0, value) : 1;
  }
  function thick(value) { return value > 0 ? value : 0; }
  // Columns and rows that hold either deposit, with a margin: left, top, width, height.
  function part(a, b) {
    var g = a.grid, low = [g.columns, g.rows], high = [-1, -1];
    for (var i = 0; i < a.thickness.length; i++) {
      if (a.thickness[i] > 0 || b.thickness[i] > 0) {
        [i % g.columns, Math.floor(i / g.columns)].forEach(function (at, k) { low[k] = Math.min(low[k], at); high[k] = Math.max(high[k], at); });
      }
    }
    if (high[0] < 0) { return [0, 0, g.columns, g.rows]; }
    var margin = Math.round(0.2 * Math.max(high[0] - low[0], high[1] - low[1])) + 2, size = [g.columns, g.rows];
    for (var k = 0; k < 2; k++) { low[k] = Math.max(0, low[k] - margin); high[k] = Math.min(size[k] - 1, high[k] + margin); }
    return [low[0], low[1], high[0] - low[0] + 1, high[1] - low[1] + 1];
  }
  // A bar of round length on a map so many metres wide, never taller than the screen, and what its colours mean.
  function showScale(metres, aspect, most) {
    var bar = element('compare-scale'), unit = Math.pow(10, Math.floor(Math.log10(metres / 4))), steps = metres / 4 / unit, round = unit * (steps >= 5 ? 5 : steps >= 2 ? 2 : 1);
    element('compare-sheet').style.maxWidth = 'min(48rem, ' + Math.round(80 * aspect) + 'vh)';
    bar.style.width = 100 * round / metres + '%';
    bar.textContent = round + ' m';
    var end = most.toFixed(most < 10 ? 1 : 0) + ' m';
    element('compare-key').innerHTML = '<li>Left more ' + end + ' <span class="ramp" style="background:linear-gradient(90deg,rgb(' + LESS.join() + '),#ccc,rgb(' + MORE.join() + '))"></span> ' + end + ' right more</li>';
  }
  function compare() {
    var a = side[0].data, b = side[1].data, canvas = element('compare-map'), read = element('compare-read');
    if (!a || !b) { return; }
    var g = a.grid, same = ['west', 'north', 'cell', 'columns', 'rows'].every(function (name) { return g[name] === b.grid[name]; });
    element('compare-sheet').hidden = !same;
    element('compare-key').innerHTML = '';
    if (!same) { read.textContent = 'The two runs have different grids, so their deposits are not subtracted.'; root.setAttribute('data-compare', 'apart'); return; }
    var most = 0, both = 0, either = 0, moved = 0, i;
    for (i = 0; i < a.thickness.length; i++) {
      var x = thick(a.thickness[i]), y = thick(b.thickness[i]);
      most = Math.max(most, Math.abs(y - x));
      both += x > 0 && y > 0; either += x > 0 || y > 0;
      moved += Math.abs(y - x) * g.cell * g.cell;
    }
    var shown = part(a, b), context = canvas.getContext('2d'), image = context.createImageData(g.columns, g.rows);
    canvas.width = shown[2]; canvas.height = shown[3];
    for (i = 0; i < a.thickness.length; i++) {
      var change = thick(b.thickness[i]) - thick(a.thickness[i]), share = most > 0 ? Math.min(1, Math.abs(change) / most) : 0;
      var ground = 255 * light(a.bed, g, i), cover = share > 0 ? 0.35 + 0.65 * Math.sqrt(share) : 0;
      for (var c = 0; c < 3; c++) { image.data[4 * i + c] = (1 - cover) * ground + cover * (change > 0 ? MORE : LESS)[c]; }
      image.data[4 * i + 3] = isFinite(a.bed[i]) ? 255 : 0;
    }
    context.putImageData(image, -shown[0], -shown[1]);
    showScale(shown[2] * g.cell, shown[2] / shown[3], most);
    read.textContent = either === 0 ? 'Neither run has a deposit.' : 'The deposits have ' + Math.round(100 * both / either) + ' % of their area in common. Blue: the right run has more, orange: the left one has; at most ' + most.toFixed(most < 10 ? 1 : 0) + ' m, ' + Math.round(moved / 2).toLocaleString('en').replace(/,/g, '\u202f') + ' m\u00b3 lie elsewhere. North is up.';
    root.setAttribute('data-compare', 'ok');
    root.setAttribute('data-compare-most', String(most));
  }

  window.addEventListener('message', function (event) {
    var said = event.data, s = side.filter(function (one) { return event.source === one.frame.contentWindow; })[0];
    if (!s || !said || said.talus !== 1) { return; }
    if (said.view) { view = said.view; side.forEach(function (other) { if (other !== s) { say(other.frame, { view: said.view }); } }); return; }
    s.data = said;
    view = view || said.start; // the first that is there is looked at from where it likes, the other from there, too
    say(s.frame, { view: view });
    slider.max = String(last());
    slider.step = String(Math.max(last() / 2000, 0.001));
    setTime(parseFloat(slider.value));
    compare();
  });
  side.forEach(function (s, k) {
    runs.forEach(function (run) {
      var o = document.createElement('option');
      o.value = run.key; o.textContent = run.name;
      s.select.appendChild(o);
    });
    s.select.selectedIndex = Math.min(k, runs.length - 1);
    if (wanted[k] && runs.some(function (run) { return run.key === wanted[k]; })) { s.select.value = wanted[k]; }
    s.select.addEventListener('change', function () { setPlaying(false); open(s); });
  });
  side.forEach(open);
  button.addEventListener('click', function () { setPlaying(!playing); });
  slider.addEventListener('input', function () { setPlaying(false); setTime(parseFloat(slider.value)); });
  (function loop(stamp) {
    if (playing && stamp) {
      if (before) { setTime(parseFloat(slider.value) + (stamp - before) / 1000); }
      before = stamp;
      if (parseFloat(slider.value) >= last()) { setPlaying(false); }
    }
    requestAnimationFrame(loop);
  })(0);
})();
