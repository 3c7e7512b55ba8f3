// SPDX-License-Identifier: GPL-3.0-or-later
// The 3D replay of the report: joins motion, scene, camera and overlay, and listens to the controls.
// Draws only when something changed.
(function () {
  'use strict';
  var talus = window.talus, element = talus.element, root = document.documentElement;
  var box = element('replay'), source = element('replay-data');
  if (!box || !source) { return; }
  function fail(sentence) {
    root.setAttribute('data-replay', 'unavailable');
    element('replay-note').textContent = sentence;
    box.classList.add('failed');
  }
  // Without a graphics card smooth edges cost more than all the rest.
  function isSoftware() {
    var probe = document.createElement('canvas').getContext('webgl2');
    var info = probe && probe.getExtension('WEBGL_debug_renderer_info');
    return !probe || !!(info && /swiftshader|llvmpipe|software|basic render/i.test(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)));
  }
  var raw = JSON.parse(source.textContent), f = talus.fields;
  source.textContent = '';
  var motion = talus.readMotion(raw), centre = motion.centre, count = motion.blockCount;
  var canvas = element('replay-canvas'), overlay = element('replay-overlay'), quickCanvas = element('replay-quick'), software = isSoftware();
  var look = { tint: false, photo: false, contours: false, contourStep: 10, survey: false,
    flatGround: [0.33, 0.31, 0.235], steepGround: [0.255, 0.245, 0.225], rock: [0.37, 0.335, 0.285] };
  var scene = talus.makeScene(canvas, { ground: motion.mesh('terrain'), skin: motion.mesh('surveyed'), shape: motion.shape, blockCount: count,
    box: new Float32Array([f.west - centre[0], f.south - centre[1], f.east - centre[0], f.north - centre[1]]), zero: centre[2] + raw.zero }, look, software, software ? quickCanvas : null);
  if (!scene) { fail('This browser cannot draw in 3D (WebGL 2 is off), so the replay is left out. Everything else is complete.'); return; }
  var bed = f.byKey.bed;
  function groundHeight(x, y) {
    var z = talus.sample(bed, x + centre[0], y + centre[1]) - raw.zero - centre[2];
    return isFinite(z) ? z : -Infinity;
  }
  var dirty = true, moved = true; // the picture, the blocks
  var wasQuick = false, touched = -Infinity; // the last picture, and when somebody last turned or moved something
  function touch() { touched = performance.now(); dirty = true; }
  var camera = talus.makeCamera(canvas, groundHeight, touch);
  (function () {
    var low = Infinity, high = -Infinity;
    bed.value.forEach(function (z) { if (isFinite(z)) { low = Math.min(low, z); high = Math.max(high, z); } });
    look.contourStep = talus.roundDown(Math.max((high - low) / 18, 0.1));
    camera.size = Math.hypot(f.east - f.west, f.north - f.south, high - low);
  })();

  // ---- blocks -----------------------------------------------------------------------------------
  var colouring = motion.colourings[0], chosen = [], rgb = [0, 0, 0];
  var tone = new Float32Array(count);
  for (var k = 0; k < count; k++) { var h = Math.sin(k * 127.1 + 11.7) * 43758.5453; tone[k] = 0.78 + 0.42 * (h - Math.floor(h)); }
  function paintBlock(b, out, at) {
    if (chosen.indexOf(b) >= 0) { out[at] = 0.8; out[at + 1] = 0.05; out[at + 2] = 0.32; return; }
    if (colouring.value) {
      talus.rampColour('even', talus.colourShare(colouring, colouring.value(b)), rgb);
      for (var i = 0; i < 3; i++) { out[at + i] = rgb[i] * rgb[i] / 65025 * 0.8; }
      return;
    }
    for (i = 0; i < 3; i++) { out[at + i] = look.rock[i] * tone[b]; }
  }
  function placeBlocks(isQuick) {
    for (var b = 0; b < count; b++) {
      motion.pose(b, scene.pose, 12 * b);
      scene.pose[12 * b + 3] = motion.radius[b];
      paintBlock(b, scene.pose, 12 * b + 8);
      scene.pose[12 * b + 11] = motion.size[b];
    }
    if (isQuick) { scene.takeQuickPose(); } else { scene.takePose(); }
  }

  // ---- views ------------------------------------------------------------------------------------
  // What should be seen: the blocks at their start and end, and the surveyed deposit.
  var subject = (function () {
    var out = [], p = [0, 0, 0];
    for (var b = 0; b < count; b++) {
      [0, motion.frameCount - 1].forEach(function (frame) { motion.placeAt(b, frame, p); out.push(p[0], p[1], p[2]); });
    }
    var deposit = f.byKey.deposit;
    for (var i = 0; deposit && i < deposit.value.length; i += 7) {
      if (deposit.value[i] > 0) {
        var x = f.west + (i % f.columns + 0.5) * f.cell - centre[0], y = f.north - (Math.floor(i / f.columns) + 0.5) * f.cell - centre[1];
        out.push(x, y, groundHeight(x, y));
      }
    }
    return out.filter(isFinite).length === out.length ? out : out.slice(0, 6 * count);
  })();
  var downhill = (function () { // compass direction in which the rock goes
    var dx = 0, dy = 0, p = [0, 0, 0], q = [0, 0, 0];
    for (var b = 0; b < count; b++) {
      motion.placeAt(b, 0, p); motion.placeAt(b, motion.frameCount - 1, q);
      dx += q[0] - p[0]; dy += q[1] - p[1];
    }
    return Math.hypot(dx, dy) > 1e-6 * count ? Math.atan2(dx, dy) : Math.PI;
  })();
  var VIEWS = [
    { key: 'slope', azimuth: downhill - 0.75, height: 0.62 },
    { key: 'toe', azimuth: downhill + 0.12, height: 0.34 },
    { key: 'above', azimuth: Math.PI, height: 1.54 }];
  var viewChosen = VIEWS[0];
  function setView(view) {
    viewChosen = view;
    camera.fit(subject, view.azimuth, view.height, 0.9);
    VIEWS.forEach(function (v) { element('replay-view-' + v.key).setAttribute('aria-pressed', v === view ? 'true' : 'false'); });
  }
  // Follows the chosen block, else the middle of what moves.
  function follow() {
    var mid = [0, 0, 0], weight = 0;
    for (var b = 0; b < count; b++) {
      if (chosen.length > 0 && chosen.indexOf(b) < 0) { continue; }
      var share = chosen.length > 0 ? 1 : 0.02 + motion.speedAt(b, motion.frame);
      for (var i = 0; i < 3; i++) { mid[i] += share * scene.pose[12 * b + i]; }
      weight += share;
    }
    for (i = 0; i < 3; i++) { camera.target[i] += (mid[i] / weight - camera.target[i]) * 0.12; }
    dirty = true;
  }

  // ---- size and resolution ----------------------------------------------------------------------
  // Pixels per pixel of the page: when still, and while playing, where a slow machine gets fewer.
  var stillRatio = software ? 1 : Math.min(window.devicePixelRatio || 1, 2), playRatio = stillRatio, ratio = stillRatio, fixed = null;
  function resize() {
    var width = fixed ? fixed[0] : box.clientWidth;
    var height = fixed ? fixed[1] : Math.max(280, Math.round((root.classList.contains('beside') ? window.innerHeight : Math.min(width * 0.62, window.innerHeight * 0.78))));
    var w = Math.round(width * ratio), tall = Math.round(height * ratio);
    if (canvas.width === w && canvas.height === tall && canvas.clientHeight === height) { return; }
    canvas.style.height = overlay.style.height = height + 'px';
    if (fixed) { canvas.style.width = overlay.style.width = width + 'px'; }
    canvas.width = w; canvas.height = tall;
    overlaid = '';
    overlay.width = Math.round(width * stillRatio); overlay.height = Math.round(height * stillRatio);
    camera.aspect = width / height;
    dirty = true;
  }
  function useRatio(wanted) { if (ratio !== wanted) { ratio = wanted; resize(); } }
  var scheme = window.matchMedia ? window.matchMedia('(prefers-color-scheme: dark)') : { matches: false };

  // ---- drawing ----------------------------------------------------------------------------------
  var wipeSlider = element('replay-wipe'), filmTitle = '';
  function wipeShare() { return look.survey && wipeSlider && parseFloat(wipeSlider.value) > 0 ? parseFloat(wipeSlider.value) / 100 : -1; }
  var overlaid = '';
  function draw(isQuick) {
    if (moved || wasQuick !== isQuick) { placeBlocks(isQuick); moved = false; }
    wasQuick = isQuick;
    canvas.style.opacity = isQuick ? 0 : 1; // it takes the pointer all the same
    quickCanvas.hidden = !isQuick;
    if (element('replay-follow').checked) { follow(); }
    var wipe = wipeShare(), width = fixed ? fixed[0] : canvas.clientWidth, height = fixed ? fixed[1] : canvas.clientHeight;
    if (isQuick) { scene.drawQuick(camera.view(), camera.eye(), wipe, playRatio); } else { scene.draw(camera.view(), wipe >= 0 ? wipe * canvas.width : -1, ratio); }
    drawOverlay({ width: width, height: height, ratio: overlay.width / width, unit: fixed ? height / 640 : 1, dark: scheme.matches,
      pixel: 2 * camera.distance * Math.tan(0.33) / height, azimuth: camera.azimuth, time: motion.now, total: motion.last,
      legend: colouring.value ? colouring : null, wipe: wipe, contour: look.contours ? look.contourStep : 0, title: filmTitle });
    dirty = false;
  }
  // Ten times a second at most the words change: what says the same is not drawn again.
  function drawOverlay(state) {
    var words = JSON.stringify(state, function (key, value) { return key === 'time' ? value.toFixed(1) : value; });
    if (words !== overlaid) { overlaid = words; talus.drawOverlay(overlay, state); }
  }

  // ---- time -------------------------------------------------------------------------------------
  var playButton = element('replay-play'), slider = element('replay-time'), clock = element('replay-clock');
  var rate = element('replay-speed'), playing = false, before = 0;
  slider.max = String(motion.last);
  slider.step = String(Math.max(motion.last / 2000, 0.001));
  function setTime(t) {
    motion.setTime(t);
    slider.value = String(motion.now);
    clock.textContent = motion.now.toFixed(1) + ' s of ' + motion.last.toFixed(1) + ' s';
    slider.setAttribute('aria-valuetext', clock.textContent);
    moved = true;
    if (chosen.length > 0) { showCard(); }
    if (section.line) { drawSection(); }
  }
  function setPlaying(on) {
    if (on && motion.now >= motion.last - 1e-6) { setTime(0); }
    playing = on;
    if (!scene.hasQuick) { useRatio(on ? playRatio : stillRatio); }
    playButton.textContent = on ? 'Pause' : 'Play';
    playButton.setAttribute('aria-pressed', on ? 'true' : 'false');
    before = 0;
  }
  playButton.addEventListener('click', function () { setPlaying(!playing); });
  slider.addEventListener('input', function () { setPlaying(false); setTime(parseFloat(slider.value)); touch(); });

  // ---- what is shown ----------------------------------------------------------------------------
  var groundSelect = element('replay-ground'), colourSelect = element('replay-colour'), pathSelect = element('replay-paths');
  f.shown.forEach(function (layer) { talus.option(groundSelect, layer.key, layer.title); });
  motion.colourings.forEach(function (row) { talus.option(colourSelect, row.key, row.title); });
  groundSelect.addEventListener('change', function () {
    var layer = f.byKey[this.value];
    look.tint = !!layer;
    look.photo = hasPhoto && this.value !== 'rock';
    if (layer) { scene.setTint(talus.paint(layer)); }
    element('replay-ground-legend').innerHTML = layer ? talus.legendHtml(layer) : '';
    dirty = true;
  });
  colourSelect.addEventListener('change', function () {
    var key = this.value;
    colouring = motion.colourings.filter(function (row) { return row.key === key; })[0];
    moved = dirty = true;
  });
  element('replay-contours').addEventListener('change', function () { look.contours = this.checked; dirty = true; });
  element('replay-follow').addEventListener('change', function () { if (!this.checked) { setView(viewChosen); } dirty = true; });
  VIEWS.forEach(function (view) { element('replay-view-' + view.key).addEventListener('click', function () { setView(view); }); });
  var surveyBox = element('replay-surveyed');
  function showSurvey() { look.survey = surveyBox.checked; wipeSlider.disabled = !surveyBox.checked; dirty = true; }
  if (surveyBox) {
    surveyBox.addEventListener('change', showSurvey);
    wipeSlider.addEventListener('input', function () { dirty = true; });
    surveyBox.disabled = !scene.hasSkin;
    wipeSlider.disabled = true;
  }
  var hasPhoto = false;
  if (raw.photo) {
    var picture = new Image();
    picture.onload = function () {
      scene.setPhoto(picture);
      hasPhoto = look.photo = true;
      groundSelect.options[0].textContent = 'Shaded';
      talus.option(groundSelect, 'photo', 'Photograph');
      groundSelect.value = 'photo';
      root.setAttribute('data-replay-photo', 'ok');
      dirty = true;
    };
    picture.src = raw.photo;
    if (raw.photo_rock) { look.rock = raw.photo_rock; moved = true; }
  }

  // ---- chosen blocks and paths ------------------------------------------------------------------
  var card = element('replay-card');
  function showCard() {
    var b = chosen[chosen.length - 1], n = 5 * b, number = motion.number;
    var rows = [['Volume', talus.amount(number[n], 'm\u00b3')], ['Mass', talus.amount(number[n + 1], 'kg')],
      ['Speed now', talus.amount(motion.speedAt(b, motion.frame), 'm/s')], ['Greatest speed', talus.amount(number[n + 2], 'm/s')],
      ['Greatest energy', talus.amount(number[n + 3], 'J')], ['Way travelled', talus.amount(number[n + 4], 'm')]];
    if (motion.tension) {
      var pull = motion.tension[b];
      rows.push(['Largest tension', pull < 0 ? 'not given' : talus.amount(pull, 'Pa') + (motion.strength && pull > motion.strength ? ': above the strength' : '')]);
    }
    card.innerHTML = '<strong>Block ' + b + '</strong><dl>' + rows.map(function (r) {
      return '<div><dt>' + r[0] + '</dt><dd>' + r[1] + '</dd></div>'; }).join('') + '</dl>';
  }
  function showPaths() {
    var every = { chosen: 0, tenth: 10, all: 1 }[pathSelect.value], list = [];
    for (var b = 0; b < count; b++) { if (every > 0 && b % every === 0 || every === 0 && chosen.indexOf(b) >= 0) { list.push(b); } }
    var skip = Math.max(1, Math.ceil(list.length * motion.frameCount / 200000)), pieces = [], p = [0, 0, 0], q = [0, 0, 0], top = motion.colourings[1].ends[1];
    list.forEach(function (block) {
      for (var frame = 0; frame + 1 < motion.frameCount; frame += skip) {
        var next = Math.min(frame + skip, motion.frameCount - 1);
        motion.placeAt(block, frame, p); motion.placeAt(block, next, q);
        if (p[0] === q[0] && p[1] === q[1] && p[2] === q[2]) { continue; }
        talus.rampColour('even', motion.speedAt(block, frame) / top, rgb);
        pieces.push(p[0], p[1], p[2], q[0], q[1], q[2], rgb[0] / 255, rgb[1] / 255, rgb[2] / 255);
      }
    });
    look.pathWidth = list.length > 20 ? 1.1 : 2;
    scene.setPaths(new Float32Array(pieces));
    dirty = true;
  }
  // With `more` the block joins those that are chosen already.
  function choose(b, more) {
    chosen = b < 0 ? [] : more ? chosen.filter(function (other) { return other !== b; }).concat([b]) : [b];
    card.hidden = chosen.length === 0;
    if (chosen.length > 0) { showCard(); }
    if (pathSelect.value === 'chosen') { showPaths(); }
    moved = dirty = true;
  }
  pathSelect.addEventListener('change', showPaths);
  // The nearest block on the ray from the eye: inside all its planes at once.
  function pick(clientX, clientY) {
    var eye = camera.eye(), way = camera.ray(clientX, clientY), best = -1, nearest = Infinity, s = motion.shape, v = talus.vector;
    for (var b = 0; b < count; b++) {
      var at = 12 * b, p = scene.pose, w = p[at + 4], turn = [-p[at + 5], -p[at + 6], -p[at + 7]];
      var into = function (d) { var c = v.cross(turn, d), e = v.cross(turn, [c[0] + w * d[0], c[1] + w * d[1], c[2] + w * d[2]]); return [d[0] + 2 * e[0], d[1] + 2 * e[1], d[2] + 2 * e[2]]; };
      var o = into([eye[0] - p[at], eye[1] - p[at + 1], eye[2] - p[at + 2]]), d = into(way), enter = 0, leave = nearest;
      for (var g = s.faceStart[b]; g < s.faceStart[b + 1] && enter < leave; g++) {
        var n = s.plane.subarray(4 * g, 4 * g + 3), above = v.dot(n, o) - s.plane[4 * g + 3], fall = v.dot(n, d);
        if (fall < 0) { enter = Math.max(enter, -above / fall); } else if (fall > 0) { leave = Math.min(leave, -above / fall); } else if (above > 0) { leave = 0; }
      }
      if (enter < leave) { nearest = enter; best = b; }
    }
    return best;
  }

  // ---- section ----------------------------------------------------------------------------------
  // The first click sets one end, the second the other; the panel then follows the time.
  var section = { on: false, first: null, line: null }, sectionButton = element('replay-section-button'), sectionBox = element('replay-section-box');
  function drawSection() {
    var cuts = [], pose = new Float32Array(8), line = section.line;
    var local = [line[0] - centre[0], line[1] - centre[1], line[2] - centre[0], line[3] - centre[1]];
    for (var b = 0; b < count; b++) {
      motion.pose(b, pose, 0);
      var cut = talus.cutBlock(motion, b, pose, local);
      if (cut) { cuts.push(cut.map(function (p) { return [p[0], p[1] + centre[2] + raw.zero]; })); }
    }
    section.cuts = cuts.length;
    section.lines = talus.drawSection(sectionBox, line, cuts, 'Section of ground, survey and blocks');
  }
  function setSection(line) {
    section.line = line;
    sectionBox.hidden = !line;
    if (line) { drawSection(); }
    showSectionLine();
  }
  function showSectionLine() {
    if (!section.line) { showPaths(); return; }
    var l = section.line, pieces = [], n = 120, last = null;
    for (var i = 0; i <= n; i++) {
      var x = l[0] + (l[2] - l[0]) * i / n - centre[0], y = l[1] + (l[3] - l[1]) * i / n - centre[1], z = groundHeight(x, y) + camera.size / 500;
      if (last && isFinite(z)) { pieces.push(last[0], last[1], last[2], x, y, z, 0.83, 0, 0.45); }
      last = isFinite(z) ? [x, y, z] : null;
    }
    look.pathWidth = 2;
    scene.setPaths(new Float32Array(pieces));
    dirty = true;
  }
  sectionButton.addEventListener('click', function () {
    section.on = !section.on;
    section.first = null;
    sectionButton.setAttribute('aria-pressed', section.on ? 'true' : 'false');
    canvas.style.cursor = section.on ? 'crosshair' : '';
    // Without a pointer the line runs down the slope, through the middle of what is seen.
    if (section.on) {
      var t = camera.target, r = camera.size / 5, dx = Math.sin(downhill) * r, dy = Math.cos(downhill) * r;
      setSection([t[0] + centre[0] - dx, t[1] + centre[1] - dy, t[0] + centre[0] + dx, t[1] + centre[1] + dy]);
    } else { setSection(null); }
  });
  function markSection(clientX, clientY) {
    var at = camera.hit(clientX, clientY);
    if (!at) { return; }
    at = [at[0] + centre[0], at[1] + centre[1]];
    if (section.first) { setSection([section.first[0], section.first[1], at[0], at[1]]); section.first = null; } else { section.first = at; }
  }
  var pressed = null;
  canvas.addEventListener('pointerdown', function (e) { pressed = [e.clientX, e.clientY]; });
  canvas.addEventListener('pointerup', function (e) {
    if (!pressed || Math.abs(e.clientX - pressed[0]) + Math.abs(e.clientY - pressed[1]) > 5) { return; }
    if (section.on) { markSection(e.clientX, e.clientY); } else { choose(pick(e.clientX, e.clientY), e.shiftKey || e.ctrlKey); }
  });
  canvas.addEventListener('keydown', function (event) {
    var keys = { ' ': function () { setPlaying(!playing); }, ArrowLeft: function () { camera.turn(-0.08, 0); }, ArrowRight: function () { camera.turn(0.08, 0); },
      ArrowUp: function () { camera.turn(0, 0.06); }, ArrowDown: function () { camera.turn(0, -0.06); }, '+': function () { camera.zoom(0.9); }, '=': function () { camera.zoom(0.9); },
      '-': function () { camera.zoom(1.1); }, n: function () { choose(((chosen.length ? chosen[chosen.length - 1] : -1) + 1) % count, event.shiftKey); },
      Escape: function () { choose(-1); }, 1: function () { setView(VIEWS[0]); }, 2: function () { setView(VIEWS[1]); }, 3: function () { setView(VIEWS[2]); } };
    if (keys[event.key] && !event.ctrlKey && !event.metaKey) { keys[event.key](); event.preventDefault(); }
  });

  // ---- loop -------------------------------------------------------------------------------------
  // Fewer pixels while playing when a machine cannot keep up with 30 pictures a second, more when it can;
  // never again as many as were too many once.
  var judgedAt = 0, judgedFrames = 0, tooMany = Infinity;
  function adapt(stamp) {
    if (!judgedAt || !playing) { judgedAt = stamp; judgedFrames = 0; return; }
    if (++judgedFrames < 5 || stamp - judgedAt < 600) { return; }
    var each = (stamp - judgedAt) / judgedFrames;
    root.setAttribute('data-replay-ms', each.toFixed(1));
    judgedAt = stamp; judgedFrames = 0;
    if (each > 34 && playRatio > 0.4) { tooMany = playRatio; playRatio = Math.max(0.4, playRatio * Math.max(0.6, Math.sqrt(30 / each))); }
    else if (each < 22 && playRatio * 1.25 < Math.min(tooMany, 1.01 * stillRatio)) { playRatio *= 1.25; }
    if (!scene.hasQuick) { useRatio(playRatio); }
  }
  // Without a graphics card: quick pictures while something moves, a full one a moment after.
  function isBusy() { return scene.hasQuick && !fixed && (playing || performance.now() - touched < 250); }
  function step(stamp) {
    if (before) { setTime(motion.now + (stamp - before) / 1000 * parseFloat(rate.value)); }
    before = stamp;
    if (motion.now >= motion.last) { setPlaying(false); }
  }
  function loop(stamp) {
    requestAnimationFrame(loop);
    adapt(stamp);
    if (playing) { step(stamp); }
    var busy = isBusy();
    if (dirty || moved || wasQuick !== busy) { draw(busy); }
  }
  window.addEventListener('resize', resize);
  if (scheme.addEventListener) { scheme.addEventListener('change', function () { dirty = true; }); }

  // For films and for the page's own test.
  talus.replay = { canvas: canvas, overlay: overlay, scene: scene, motion: motion, camera: camera, look: look, section: section, box: box, views: VIEWS, downhill: downhill,
    setTime: setTime, setPlaying: setPlaying, setView: setView, pick: pick, choose: choose, markSection: markSection, groundHeight: groundHeight,
    useRatio: useRatio, step: step, isPlaying: function () { return playing; }, chosen: function () { return chosen; },
    draw: function () { if (dirty || moved || wasQuick) { draw(false); } }, redraw: function () { dirty = moved = true; draw(false); },
    drawQuick: function () { moved = true; draw(true); }, picture: function () { return wasQuick ? quickCanvas : canvas; },
    fix: function (width, height, title) { fixed = [width, height]; filmTitle = title; stillRatio = 1; ratio = 1.4; resize(); setView(viewChosen); } };
  resize();
  setTime(0);
  setView(VIEWS[0]);
  touched = -Infinity;
  root.setAttribute('data-replay', 'ok');
  root.setAttribute('data-replay-blocks', String(count));
  root.setAttribute('data-replay-frames', String(motion.frameCount));
  // #t=12.5 opens at that moment; #view=toe from there; #play begins at once.
  var wanted = /[#&]t=([0-9.]+)/.exec(location.hash), from = /[#&]view=([a-z]+)/.exec(location.hash);
  if (wanted) { setTime(parseFloat(wanted[1])); }
  VIEWS.forEach(function (view) { if (from && view.key === from[1]) { setView(view); } });
  if (/[#&]play\b/.test(location.hash)) { setPlaying(true); }
  requestAnimationFrame(loop);
})();
