// SPDX-License-Identifier: GPL-3.0-or-later
// #selftest: the page tries its own controls and writes what it saw into attributes of <html>.
(function () {
  'use strict';
  if (!/[#&]selftest\b/.test(location.hash)) { return; }
  var talus = window.talus, element = talus.element, root = document.documentElement;
  function note(name, value) { root.setAttribute('data-test-' + name, String(value)); }
  var tried = {};
  function fire(node, name) { tried[node.id] = true; node.dispatchEvent(new Event(name)); }
  function click(id) { tried[id] = true; element(id).click(); }
  function change(id, value) {
    var node = element(id);
    if (node.type === 'checkbox') { node.checked = value; } else { node.value = value; }
    fire(node, node.type === 'range' ? 'input' : 'change');
  }
  // What is on the canvas: a number for all of it, and how many colours it has.
  function pixels(from, to) {
    var r = talus.replay, gl = r.scene.gl;
    r.draw();
    var w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, x0 = Math.round((from || 0) * w), x1 = Math.round((to || 1) * w);
    var p = new Uint8Array(4 * (x1 - x0) * h), hash = 2166136261, seen = {}, colours = 0;
    gl.readPixels(x0, 0, x1 - x0, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
    for (var i = 0; i < p.length; i += 4) {
      var word = p[i] << 16 | p[i + 1] << 8 | p[i + 2];
      hash = Math.imul(hash ^ word, 16777619);
      if (colours < 64 && !seen[word]) { seen[word] = 1; colours++; }
    }
    return { hash: hash >>> 0, colours: colours };
  }
  // Does a control change the picture, and does undoing it bring the picture back?
  function tries(name, id, value, back) {
    var first = pixels().hash;
    change(id, value);
    var second = pixels().hash;
    change(id, back);
    note(name, first === second ? 'dead' : pixels().hash === first ? 'changes' : 'stays');
  }
  // What a quick picture and the full one have in common, in thousandths of the pixels that blocks and their shadows
  // changed since the start. Edges differ. `between` spoils it.
  function likeness(set, between) {
    var r = talus.replay, gl = r.scene.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, now = r.motion.now, alike = 0, changed = 0;
    function full(time) {
      var out = new Uint8Array(4 * w * h);
      r.setTime(time);
      r.redraw();
      gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, out);
      return out;
    }
    function differ(p, a, q, b, most) { return Math.abs(p[a] - q[b]) > most || Math.abs(p[a + 1] - q[b + 1]) > most || Math.abs(p[a + 3] - q[b + 3]) > most; }
    set(true);
    var start = full(0), end = full(now);
    if (between) { between(); }
    r.drawQuick();
    var c = r.picture(), quick = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    set(false);
    r.setTime(now);
    if (c.width !== w || c.height !== h) { return -1; }
    for (var y = 0; y < h; y++) {
      for (var x = 0; x < w; x++) {
        var a = 4 * ((h - 1 - y) * w + x);
        if (differ(start, a, end, a, 8)) { changed++; alike += differ(end, a, quick, 4 * (y * w + x), 32) ? 0 : 1; }
      }
    }
    return Math.floor(1000 * alike / Math.max(changed, 1));
  }
  function testQuick() {
    if (!talus.replay.scene.hasQuick) { note('quick', 'none'); return; }
    note('quick-plain', likeness(function () {}));
    note('quick-paths', likeness(function (on) { change('replay-paths', on ? 'all' : 'chosen'); }));
    if (element('replay-surveyed')) {
      note('quick-survey', likeness(function (on) { change('replay-surveyed', on); }));
      note('quick-wipe', likeness(function (on) { change('replay-surveyed', on); change('replay-wipe', on ? '50' : '0'); }));
    }
    // Another moment is not alike: what was measured above can be missed.
    note('quick-other', likeness(function () {}, function () { talus.replay.setTime(0); }));
  }
  function testReplay() {
    var r = talus.replay, m = r.motion, slider = element('replay-time');
    r.redraw();
    var first = pixels();
    slider.value = String(m.last / 2); fire(slider, 'input');
    var second = pixels();
    note('colours', first.colours);
    note('slider', first.hash !== second.hash ? 'moves' : 'dead');
    m.colourings.forEach(function (row) { if (row.value) { tries('colour-' + row.key, 'replay-colour', row.key, 'rock'); } });
    var ground = element('replay-ground').value;
    talus.fields.shown.forEach(function (layer) { tries('ground-' + layer.key, 'replay-ground', layer.key, ground); });
    if (ground === 'photo') { tries('photo', 'replay-ground', 'rock', 'photo'); testPhoto(); }
    note('ground-legend', element('replay-ground-legend').textContent === '' ? 'empty' : 'left');
    tries('contours', 'replay-contours', true, false);
    tries('paths', 'replay-paths', 'all', 'chosen');
    tries('paths-tenth', 'replay-paths', 'tenth', 'chosen');
    if (element('replay-surveyed')) {
      tries('surveyed', 'replay-surveyed', true, false);
      change('replay-surveyed', true);
      // Left of the edge only the survey, whenever, right of it only the simulation, wherever the edge is.
      change('replay-wipe', '1'); var simulation = pixels(0.55, 1).hash, most = pixels().hash;
      change('replay-wipe', '99'); var survey = pixels(0, 0.45).hash, least = pixels().hash;
      change('replay-wipe', '50');
      var isRight = pixels(0, 0.45).hash === survey && pixels(0.55, 1).hash === simulation && most !== least;
      r.setTime(0);
      note('wipe', isRight && pixels(0, 0.45).hash === survey && pixels(0.55, 1).hash !== simulation ? 'wipes' : 'dead');
      r.setTime(m.last / 2);
      change('replay-wipe', '0'); change('replay-surveyed', false);
    }
    r.views.forEach(function (view) {
      click('replay-view-' + (view.key === 'slope' ? 'toe' : 'slope'));
      var was = pixels().hash;
      click('replay-view-' + view.key);
      note('view-' + view.key, pixels().hash !== was && element('replay-view-' + view.key).getAttribute('aria-pressed') === 'true' ? 'turns' : 'dead');
    });
    r.setView(r.views[0]);
    var still = pixels().hash;
    change('replay-follow', true); r.redraw();
    note('follow', pixels().hash !== still ? 'follows' : 'dead');
    change('replay-follow', false);
    testKeys();
    testPointer();
    click('replay-play'); note('play', r.isPlaying() ? 'plays' : 'dead');
    click('replay-play'); note('pause', r.isPlaying() ? 'dead' : 'pauses');
    testSpeed();
    testQuick();
    testClick();
    testSection();
  }
  // The mean colours of the four quarters of the photographed ground, as seen from above.
  function testPhoto() {
    var r = talus.replay, f = talus.fields, gl = r.scene.gl, centre = r.motion.centre, box = r.canvas.getBoundingClientRect(), p = new Uint8Array(4), sums = {};
    click('replay-view-above');
    pixels();
    for (var i = 0; i < 400; i++) {
      var u = (i % 20 + 0.5) / 20, v = (Math.floor(i / 20) + 0.5) / 20, at = r.camera.hit(box.left + u * box.width, box.top + v * box.height);
      if (!at || !isFinite(r.groundHeight(at[0], at[1]))) { continue; }
      var key = (2 * (at[1] + centre[1]) > f.south + f.north ? 'n' : 's') + (2 * (at[0] + centre[0]) > f.west + f.east ? 'e' : 'w'), sum = sums[key] = sums[key] || [0, 0, 0, 0];
      gl.readPixels(Math.floor(u * gl.drawingBufferWidth), Math.floor((1 - v) * gl.drawingBufferHeight), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p);
      for (var k = 0; k < 4; k++) { sum[k] += k < 3 ? p[k] : 1; }
    }
    for (var quarter in sums) { note('photo-' + quarter, sums[quarter].slice(0, 3).map(function (c) { return Math.round(c / sums[quarter][3]); }).join()); }
    r.setView(r.views[0]);
  }
  function press(node, key) { node.dispatchEvent(new KeyboardEvent('keydown', { key: key })); }
  // Each key changes the picture; those in pairs undo each other.
  function testKeys() {
    var r = talus.replay, dead = [], start;
    [['ArrowLeft', 'ArrowRight'], ['ArrowUp', 'ArrowDown'], ['+', '-'], ['=', '-'], ['n', 'Escape'], ['2', '1'], ['3', '1']].forEach(function (pair) {
      r.setView(r.views[0]);
      start = pixels().hash;
      press(r.canvas, pair[0]);
      if (pixels().hash === start) { dead.push(pair[0]); }
      var there = pixels().hash;
      press(r.canvas, pair[1]);
      if (pixels().hash === there) { dead.push(pair[1]); }
    });
    press(r.canvas, ' ');
    if (!r.isPlaying()) { dead.push('space'); }
    press(r.canvas, ' ');
    if (r.isPlaying()) { dead.push('space again'); }
    r.setView(r.views[0]);
    note('keys', dead.length === 0 ? 'work' : dead.join());
  }
  // A drag by (dx, dy), with what is held meanwhile.
  function drag(node, dx, dy, held) {
    var box = node.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    [['pointerdown', 0], ['pointermove', 1], ['pointerup', 1]].forEach(function (step) {
      var event = { pointerId: 7, bubbles: true, clientX: x + step[1] * dx, clientY: y + step[1] * dy };
      for (var name in held) { event[name] = held[name]; }
      node.dispatchEvent(new PointerEvent(step[0], event));
    });
  }
  function testPointer() {
    var r = talus.replay, camera = r.camera, azimuth = camera.azimuth, target = camera.target.slice(), distance = camera.distance, start = pixels().hash;
    drag(r.canvas, 60, 0);
    note('drag', camera.azimuth !== azimuth && camera.target[0] === target[0] && pixels().hash !== start ? 'turns' : 'dead');
    r.setView(r.views[0]);
    azimuth = camera.azimuth;
    drag(r.canvas, 60, 0, { shiftKey: true });
    note('drag-shift', camera.azimuth === azimuth && camera.target[0] !== target[0] && pixels().hash !== start ? 'moves' : 'dead');
    r.setView(r.views[0]);
    r.canvas.blur();
    r.canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: 100, cancelable: true }));
    note('wheel-page', camera.distance === distance ? 'left' : 'taken');
    r.canvas.focus({ preventScroll: true });
    r.canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: 100, cancelable: true }));
    note('wheel', camera.distance > distance ? 'zooms' : 'dead');
    r.setView(r.views[0]);
    // Two fingers that part come closer.
    [['pointerdown', 1, 0], ['pointerdown', 2, 50], ['pointermove', 2, 60], ['pointermove', 2, 120], ['pointerup', 1, 0], ['pointerup', 2, 120]].forEach(function (step) {
      r.canvas.dispatchEvent(new PointerEvent(step[0], { pointerId: step[1], clientX: 100 + step[2], clientY: 100 }));
    });
    note('pinch', camera.distance < distance ? 'zooms' : 'dead');
    r.setView(r.views[0]);
  }
  // A second of the clock is `rate` seconds of the fall.
  function testSpeed() {
    var r = talus.replay, seen = [];
    ['0.25', '4'].forEach(function (rate) {
      change('replay-speed', rate);
      r.setTime(0); r.setPlaying(true);
      r.step(1000); r.step(1100);
      seen.push(r.motion.now);
      r.setPlaying(false);
    });
    change('replay-speed', '1');
    note('speed', Math.abs(seen[0] - 0.025) < 1e-6 && Math.abs(seen[1] - 0.4) < 1e-6 ? 'keeps' : seen.join());
    r.setTime(r.motion.last / 2);
  }
  // Click where some block is on the screen.
  function testClick() {
    var r = talus.replay, box = r.canvas.getBoundingClientRect(), view = r.camera.view(), found = -1, p = [0, 0, 0];
    r.draw();
    for (var b = 0; b < r.motion.blockCount && found < 0; b++) {
      r.motion.placeAt(b, r.motion.frame, p);
      var w = view[3] * p[0] + view[7] * p[1] + view[11] * p[2] + view[15];
      var x = (view[0] * p[0] + view[4] * p[1] + view[8] * p[2] + view[12]) / w, y = (view[1] * p[0] + view[5] * p[1] + view[9] * p[2] + view[13]) / w;
      found = r.pick(box.left + (x + 1) / 2 * box.width, box.top + (1 - y) / 2 * box.height);
    }
    var plain = pixels().hash, at = found < 0 ? null : [box.left + (x + 1) / 2 * box.width, box.top + (1 - y) / 2 * box.height];
    if (at) { tap(r.canvas, at[0], at[1]); }
    note('click', found >= 0 && r.chosen()[0] === found && element('replay-card').textContent.indexOf('Volume') >= 0 ? 'tells' : 'dead');
    note('path', pixels().hash !== plain ? 'shows' : 'dead');
    r.choose((found + 1) % r.motion.blockCount, true);
    note('chosen', r.chosen().length);
    r.choose(-1, false);
  }
  // A section along the way of the rock cuts blocks, and its ground is that of the raster.
  function testSection() {
    var r = talus.replay, s = r.section, worst = 0;
    click('replay-section-button');
    note('section', s.cuts > 0 && element('replay-section-box').querySelectorAll('path.cut').length === s.cuts ? 'cuts' : 'dead');
    var line = s.line, bed = s.lines[0].points;
    for (var i = 0; i < bed.length; i++) {
      var t = i / (bed.length - 1), z = talus.sample(talus.fields.byKey.bed, line[0] + t * (line[2] - line[0]), line[1] + t * (line[3] - line[1]));
      if (isFinite(z)) { worst = Math.max(worst, Math.abs(z - bed[i][1])); }
    }
    note('section-ground', worst < 1e-6 ? 'right' : worst);
    var box = r.canvas.getBoundingClientRect();
    r.markSection(box.left + 0.4 * box.width, box.top + 0.6 * box.height);
    r.markSection(box.left + 0.6 * box.width, box.top + 0.7 * box.height);
    note('section-drawn', s.line && s.line[0] !== line[0] ? 'drawn' : 'dead');
    click('replay-section-button');
  }
  // The button plays, then hands over a film. Where the clock of a test runs ahead of the encoder it may be empty.
  function testRecord(then) {
    var r = talus.replay, real = HTMLAnchorElement.prototype.click, waited = setTimeout(function () { end('dead'); }, 15000), played;
    function end(word) { clearTimeout(waited); HTMLAnchorElement.prototype.click = real; note('record', word); r.setPlaying(false); then(); }
    HTMLAnchorElement.prototype.click = function () { end(played && this.download === 'replay.webm' && /^blob:/.test(this.href) ? 'films' : 'dead'); };
    click('replay-record');
    played = r.isPlaying() && element('replay-record').getAttribute('aria-pressed') === 'true';
    setTimeout(function () { click('replay-record'); }, 1500);
  }
  // Drawing many frames takes time that the test measures from outside: inside, time is virtual.
  function drawFrames() {
    var asked = /[#&]frames=([0-9]+)/.exec(location.hash), ratio = /[#&]ratio=([0-9.]+)/.exec(location.hash), r = talus.replay, pixel = new Uint8Array(4);
    if (ratio) { r.useRatio(parseFloat(ratio[1])); }
    for (var i = 0; asked && i < parseInt(asked[1], 10); i++) {
      r.setTime(r.motion.last * i / asked[1]);
      if (/[#&]quick\b/.test(location.hash) && r.scene.hasQuick) { r.drawQuick(); continue; }
      r.draw();
      r.scene.gl.readPixels(0, 0, 1, 1, r.scene.gl.RGBA, r.scene.gl.UNSIGNED_BYTE, pixel); // waits for the picture
    }
    note('frames', asked ? asked[1] : 0);
  }
  function tap(node, x, y) {
    ['pointerdown', 'pointerup'].forEach(function (name) { node.dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y, pointerId: 1 })); });
  }
  function brightness(canvas) {
    var p = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, sum = 0;
    for (var i = 0; i < p.length; i += 4) { sum = Math.imul(sum ^ (p[i] << 16 | p[i + 1] << 8 | p[i + 2]), 16777619); }
    return sum >>> 0;
  }
  // Each step changes what the map would export; the last brings back the first.
  function testMap(done) {
    var map = talus.map, svg = map.svg, f = talus.fields, seen = [];
    var steps = [['start', function () {}], ['layer', function () { change('map-layer', 'velocity_max'); }], ['opacity', function () { change('map-opacity', '30'); }],
      ['second', function () { change('map-second', 'arrival'); }], ['wipe', function () { change('map-wipe', '20'); }],
      ['outlines', function () { change('map-outlines', false); }], ['zoom', function () { click('map-in'); }], ['out', function () { click('map-out'); }],
      ['pan', function () { svg.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' })); }],
      ['drag', function () { drag(svg, 40, 25); }], ['wheel', function () { svg.focus({ preventScroll: true }); svg.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, cancelable: true })); }],
      ['section', function () { click('map-section-button'); }],
      ['back', function () {
        click('map-section-button'); click('map-home'); change('map-outlines', true); change('map-wipe', '50'); change('map-second', '');
        change('map-opacity', '82'); change('map-layer', 'thickness');
      }]];
    (function next(i) {
      if (i === steps.length) { testReading(); testMapKeys(); testExport(done); return; }
      steps[i][1]();
      map.render(function (canvas) {
        seen.push(brightness(canvas));
        if (i === steps.length - 1) { note('map-back', seen[i] === seen[0] ? 'same' : 'other'); }
        else if (i > 0) { note('map-' + steps[i][0], seen[i] !== seen[i - 1] ? 'changes' : 'dead'); }
        next(i + 1);
      });
    })(0);
    function testMapKeys() {
      var dead = [['ArrowLeft', 'ArrowRight'], ['ArrowUp', 'ArrowDown'], ['+', '-'], ['=', '0']].filter(function (pair) {
        var start = map.box().join();
        press(svg, pair[0]);
        var there = map.box().join();
        press(svg, pair[1]);
        return there === start || map.box().join() === there;
      });
      click('map-home');
      note('map-keys', dead.length === 0 ? 'work' : dead.join());
    }
    // The button hands over a PNG of what is seen.
    function testExport(then) {
      var real = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () {
        HTMLAnchorElement.prototype.click = real;
        note('map-export', this.download === 'map.png' && /^data:image\/png;base64,.{5000}/.test(this.href) ? 'saves' : 'dead');
        then();
      };
      click('map-export');
    }
    function testReading() {
      var r = svg.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2, layer = f.byKey.thickness;
      svg.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, pointerId: 2 }));
      var p = map.place({ clientX: x, clientY: y }), read = element('map-read').textContent, z = talus.cellValue(f.byKey.bed, p[0], p[1]);
      note('map-read', read.indexOf('E ' + (f.east0 + p[0]).toFixed(1)) === 0 && read.indexOf('height ' + z.toFixed(1) + ' m') > 0 && read.indexOf(layer.title.toLowerCase()) > 0 ? 'tells' : read);
      note('map-key', element('map-key').textContent.indexOf(layer.title) >= 0 && svg.parentNode.querySelector('.still').offsetParent === null ? 'says' : 'dead');
      click('map-section-button');
      tap(svg, r.left + 0.3 * r.width, y); tap(svg, r.left + 0.7 * r.width, y);
      var from = map.place({ clientX: r.left + 0.3 * r.width, clientY: y });
      note('map-drawn', map.section.line && Math.abs(map.section.line[0] - from[0]) < 1e-6 && map.section.lines.length >= 2 ? 'drawn' : 'dead');
      click('map-section-button');
    }
  }
  window.addEventListener('load', function () {
    setTimeout(function () {
      if (talus.replay) { if (/[#&]frames=/.test(location.hash)) { drawFrames(); } else { testReplay(); } }
      // Every control has a name that a screen reader can say.
      note('unnamed', Array.prototype.filter.call(document.querySelectorAll('button, select, input, canvas[tabindex], svg[tabindex]'), function (node) {
        return !(node.getAttribute('aria-label') || node.textContent.trim() && node.tagName === 'BUTTON' || node.labels && node.labels.length > 0);
      }).length);
      function end() {
        if (!/[#&]frames=/.test(location.hash) && element('replay-record') && !element('replay-record').hidden) { testRecord(finish); } else { finish(); }
      }
      function finish() {
        // Nothing that can be pressed was left out.
        note('untried', Array.prototype.map.call(document.querySelectorAll('button, select, input'), function (node) { return node.id; }).filter(function (id) { return !tried[id]; }).join(' ') || 'none');
        note('requests', performance.getEntriesByType('resource').filter(function (e) { return !/^(data|blob):/.test(e.name); }).length);
        note('done', 'yes');
      }
      if (talus.map && !/[#&]frames=/.test(location.hash)) { testMap(end); } else { end(); }
    }, 400);
  });
})();
