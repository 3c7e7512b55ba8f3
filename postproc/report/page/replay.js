// SPDX-License-Identifier: GPL-3.0-or-later
// The 3D replay of the report: reads the packed scene, draws it with three.js, and listens to the
// controls. Draws only when something changed and, without a graphics card, only where.
(function () {
  'use strict';
  var root = document.documentElement;
  var box = document.getElementById('replay');
  var source = document.getElementById('replay-data');
  if (!box || !source) { return; }

  function bytes(text) {
    var raw = atob(text), out = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) { out[i] = raw.charCodeAt(i); }
    return out.buffer;
  }
  function element(id) { return document.getElementById(id); }
  function fail(sentence) {
    root.setAttribute('data-replay', 'unavailable');
    element('replay-note').textContent = sentence;
    box.classList.add('failed');
  }
  if (!window.THREE) { fail('The replay needs three.js, which was not there when this report was made.'); return; }

  var data = JSON.parse(source.textContent);
  source.textContent = '';
  var canvas = element('replay-canvas');
  // Without a graphics card smooth edges cost more than all the rest.
  function isSoftware() {
    var probe = document.createElement('canvas').getContext('webgl');
    var info = probe && probe.getExtension('WEBGL_debug_renderer_info');
    return !probe || (info && /swiftshader|llvmpipe|software|basic render/i.test(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)));
  }
  var renderer, smooth = !isSoftware();
  try {
    renderer = new THREE.WebGLRenderer({ canvas: canvas, antialias: smooth, preserveDrawingBuffer: true });
  } catch (e) {
    fail('This browser cannot draw in 3D (WebGL is off), so the replay is left out. Everything else is complete.');
    return;
  }
  var gl = renderer.getContext();
  // Pixels per pixel of the page: when still, and while playing, where a slow machine gets fewer.
  var stillRatio = smooth ? Math.min(window.devicePixelRatio || 1, 2) : 1, playRatio = stillRatio;
  renderer.setPixelRatio(stillRatio);

  // ---- unpack -----------------------------------------------------------------------------------
  var low = data.low, step = data.step, blockCount = data.blocks;
  var centre = [0, 1, 2].map(function (i) { return low[i] + step[i] * 32767.5; });
  function place(q, i) { return low[i] + step[i] * q - centre[i]; }
  // talus has z up, three.js y up: x east, y up, z south.
  function meshGeometry(nodeText, faceText) {
    var node = new Uint16Array(bytes(nodeText)), count = node.length / 3;
    var position = new Float32Array(node.length), uv = new Float32Array(2 * count);
    var b = data.texture_box;
    for (var i = 0; i < count; i++) {
      var x = place(node[3 * i], 0), y = place(node[3 * i + 1], 1), z = place(node[3 * i + 2], 2);
      position[3 * i] = x; position[3 * i + 1] = z; position[3 * i + 2] = -y;
      uv[2 * i] = (x + centre[0] - b[0]) / (b[2] - b[0]);
      uv[2 * i + 1] = (y + centre[1] - b[1]) / (b[3] - b[1]);
    }
    var geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes(faceText)), 1));
    return geometry;
  }
  var time = new Float32Array(bytes(data.time));
  var position = new Uint16Array(bytes(data.position));
  var turn = new Int16Array(bytes(data.turn));
  var number = new Float32Array(bytes(data.number));
  var frameCount = time.length, lastTime = time[frameCount - 1];
  data.position = data.turn = null;

  // ---- scene ------------------------------------------------------------------------------------
  var dirty = true; // everything is to be drawn again
  var scene = new THREE.Scene();
  var camera = new THREE.PerspectiveCamera(38, 1, 1, 1e5);

  function texture(uri) {
    var t = new THREE.Texture(), image = new Image();
    image.onload = function () { t.image = image; t.needsUpdate = true; dirty = true; };
    image.src = uri;
    t.generateMipmaps = false;
    t.minFilter = THREE.LinearFilter;
    return t;
  }
  var textures = { hillshade: texture(data.hillshade) };
  if (data.change) { textures.change = texture(data.change); }
  var terrain = new THREE.Mesh(meshGeometry(data.terrain_node, data.terrain_face),
    new THREE.MeshBasicMaterial({ map: textures.hillshade, side: THREE.DoubleSide }));
  scene.add(terrain);
  var surveyed = null;
  if (data.surveyed_node) {
    var skin = meshGeometry(data.surveyed_node, data.surveyed_face);
    surveyed = new THREE.Mesh(skin, new THREE.MeshBasicMaterial({
      color: 0x0072b2, transparent: true, opacity: 0.42, side: THREE.DoubleSide, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
    surveyed.visible = false;
    scene.add(surveyed);
  }

  // ---- blocks: one geometry, made anew for every picture of the faces that look at the eye ---------
  var bodyVertex = new Float32Array(bytes(data.vertex));
  var vertexStart = new Int32Array(bytes(data.vertex_start));
  var faceStart = new Int32Array(bytes(data.face_start));
  var cornerStart = new Int32Array(bytes(data.corner_start));
  var corner = new Uint16Array(bytes(data.corner));
  var facePlane = new Float32Array(4 * (cornerStart.length - 1)); // outward normal, distance from the centre
  var blockRadius = new Float32Array(blockCount);
  (function () {
    for (var b = 0; b < blockCount; b++) {
      var v0 = 3 * vertexStart[b], far = 0;
      for (var v = v0; v < 3 * vertexStart[b + 1]; v += 3) {
        far = Math.max(far, bodyVertex[v] * bodyVertex[v] + bodyVertex[v + 1] * bodyVertex[v + 1] + bodyVertex[v + 2] * bodyVertex[v + 2]);
      }
      blockRadius[b] = Math.sqrt(far);
      for (var f = faceStart[b]; f < faceStart[b + 1]; f++) {
        var c0 = cornerStart[f], p = v0 + 3 * corner[c0], nx = 0, ny = 0, nz = 0;
        for (var c = c0 + 1; c + 1 < cornerStart[f + 1]; c++) {
          var q = v0 + 3 * corner[c], r = v0 + 3 * corner[c + 1];
          var ax = bodyVertex[q] - bodyVertex[p], ay = bodyVertex[q + 1] - bodyVertex[p + 1], az = bodyVertex[q + 2] - bodyVertex[p + 2];
          var bx = bodyVertex[r] - bodyVertex[p], by = bodyVertex[r + 1] - bodyVertex[p + 1], bz = bodyVertex[r + 2] - bodyVertex[p + 2];
          nx += ay * bz - az * by; ny += az * bx - ax * bz; nz += ax * by - ay * bx;
        }
        var length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
        nx /= length; ny /= length; nz /= length;
        facePlane[4 * f] = nx; facePlane[4 * f + 1] = ny; facePlane[4 * f + 2] = nz;
        facePlane[4 * f + 3] = nx * bodyVertex[p] + ny * bodyVertex[p + 1] + nz * bodyVertex[p + 2];
      }
    }
  })();
  var worldPosition = new Float32Array(3 * corner.length);
  var worldColor = new Uint8Array(4 * corner.length), paint = new Uint8ClampedArray(worldColor.buffer);
  var index = new Uint32Array(3 * corner.length);
  var blocks = new THREE.BufferGeometry();
  blocks.setAttribute('position', new THREE.BufferAttribute(worldPosition, 3).setUsage(THREE.DynamicDrawUsage));
  blocks.setAttribute('color', new THREE.BufferAttribute(worldColor, 4, true).setUsage(THREE.DynamicDrawUsage));
  blocks.setIndex(new THREE.BufferAttribute(index, 1).setUsage(THREE.DynamicDrawUsage));
  var blockMesh = new THREE.Mesh(blocks, new THREE.MeshBasicMaterial({ vertexColors: THREE.VertexColors }));
  blockMesh.frustumCulled = false;
  scene.add(blockMesh);

  var trail = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xcc2277 }));
  trail.visible = false;
  trail.frustumCulled = false;
  scene.add(trail);

  var now = 0, shownFrame = 0, shownShare = 0, selected = -1, colouring = 'rock', speedTop = 1;
  for (var k = 0; k < blockCount; k++) { speedTop = Math.max(speedTop, number[5 * k + 2]); }

  function findFrame(t) {
    var a = 0, z = frameCount - 1;
    while (z - a > 1) { var m = (a + z) >> 1; if (time[m] <= t) { a = m; } else { z = m; } }
    shownFrame = a;
    shownShare = z > a ? Math.min(1, Math.max(0, (t - time[a]) / (time[z] - time[a]))) : 0;
  }
  function blockPlace(b, frame, out) {
    var at = 3 * (frame * blockCount + b);
    out[0] = place(position[at], 0); out[1] = place(position[at + 1], 1); out[2] = place(position[at + 2], 2);
  }
  function blockSpeed(b) {
    var next = Math.min(shownFrame + 1, frameCount - 1), dt = time[next] - time[shownFrame];
    if (!(dt > 0)) { return 0; }
    blockPlace(b, shownFrame, p0); blockPlace(b, next, p1);
    var dx = p1[0] - p0[0], dy = p1[1] - p0[1], dz = p1[2] - p0[2];
    return Math.sqrt(dx * dx + dy * dy + dz * dz) / dt;
  }
  // Dark blue, teal, yellow: lightness rises evenly.
  var ramp = [[38, 33, 92], [45, 92, 140], [38, 148, 139], [112, 198, 98], [248, 228, 60]];
  function speedColour(share, out) {
    var s = Math.min(0.9999, Math.max(0, share)) * 4, i = Math.floor(s), t = s - i;
    for (var c = 0; c < 3; c++) { out[c] = ramp[i][c] + t * (ramp[i + 1][c] - ramp[i][c]); }
  }
  function rockColour(b, out) {
    var h = Math.sin(b * 127.1 + 11.7) * 43758.5453, tone = 0.82 + 0.36 * (h - Math.floor(h));
    out[0] = Math.min(255, 196 * tone); out[1] = Math.min(255, 122 * tone); out[2] = Math.min(255, 72 * tone);
  }
  var p0 = [0, 0, 0], p1 = [0, 0, 0], colour = [0, 0, 0];
  // Where block b is now, z up, and how it is turned (nine numbers, row by row).
  var centreNow = [0, 0, 0], turnNow = new Float64Array(9);
  function blockPose(b) {
    var next = Math.min(shownFrame + 1, frameCount - 1), share = shownShare;
    blockPlace(b, shownFrame, p0);
    blockPlace(b, next, p1);
    for (var i = 0; i < 3; i++) { centreNow[i] = p0[i] + share * (p1[i] - p0[i]); }
    var a = 4 * (shownFrame * blockCount + b), z = 4 * (next * blockCount + b);
    var w0 = turn[a], x0 = turn[a + 1], y0 = turn[a + 2], z0 = turn[a + 3];
    var w1 = turn[z], x1 = turn[z + 1], y1 = turn[z + 2], z1 = turn[z + 3];
    var sign = w0 * w1 + x0 * x1 + y0 * y1 + z0 * z1 < 0 ? -1 : 1;
    var w = w0 + share * (sign * w1 - w0), x = x0 + share * (sign * x1 - x0), y = y0 + share * (sign * y1 - y0), q = z0 + share * (sign * z1 - z0);
    var n = Math.sqrt(w * w + x * x + y * y + q * q) || 1;
    w /= n; x /= n; y /= n; q /= n;
    turnNow[0] = 1 - 2 * (y * y + q * q); turnNow[1] = 2 * (x * y - w * q); turnNow[2] = 2 * (x * q + w * y);
    turnNow[3] = 2 * (x * y + w * q); turnNow[4] = 1 - 2 * (x * x + q * q); turnNow[5] = 2 * (y * q - w * x);
    turnNow[6] = 2 * (x * q - w * y); turnNow[7] = 2 * (y * q + w * x); turnNow[8] = 1 - 2 * (x * x + y * y);
  }
  // The part of the screen (left, bottom, right, top in pixels of the page) where blocks changed since
  // the last picture; for each block the part it takes, and numbers that tell whether it looks the same.
  var changed = new Float64Array(4), blockRect = new Float64Array(4 * blockCount), blockLook = new Float64Array(5 * blockCount);
  var view = new THREE.Matrix4(), look = new Float64Array(5);
  function growChanged(rect) {
    changed[0] = Math.min(changed[0], blockRect[rect]); changed[1] = Math.min(changed[1], blockRect[rect + 1]);
    changed[2] = Math.max(changed[2], blockRect[rect + 2]); changed[3] = Math.max(changed[3], blockRect[rect + 3]);
  }
  function looksSame(b) {
    var same = true;
    look[0] = centreNow[0]; look[1] = centreNow[1]; look[2] = centreNow[2];
    look[3] = colour[0] + 256 * colour[1] + 65536 * colour[2];
    look[4] = 0;
    for (var i = 0; i < 9; i++) { look[4] = 0.7 * look[4] + turnNow[i]; }
    for (var k = 0; k < 5; k++) {
      same = same && blockLook[5 * b + k] === look[k];
      blockLook[5 * b + k] = look[k];
    }
    return same;
  }
  function noteChange(b, everything, width, height) {
    if (looksSame(b) && !everything) { return; }
    var e = view.elements, x = centreNow[0], y = centreNow[2], z = -centreNow[1], r = blockRadius[b];
    var w = e[3] * x + e[7] * y + e[11] * z + e[15], rect = 4 * b;
    growChanged(rect);
    if (w < 2 * r) {
      blockRect[rect] = blockRect[rect + 1] = 0; blockRect[rect + 2] = width; blockRect[rect + 3] = height;
    } else {
      var sx = ((e[0] * x + e[4] * y + e[8] * z + e[12]) / w * 0.5 + 0.5) * width;
      var sy = ((e[1] * x + e[5] * y + e[9] * z + e[13]) / w * 0.5 + 0.5) * height;
      // A ball off the axis looks longer than its radius: 1.3 holds to 40 degrees.
      var pad = 1.3 * r * camera.projectionMatrix.elements[5] * 0.5 * height / (w - r) + 2;
      blockRect[rect] = sx - pad; blockRect[rect + 1] = sy - pad; blockRect[rect + 2] = sx + pad; blockRect[rect + 3] = sy + pad;
    }
    growChanged(rect);
  }
  // Light of the sky on the three colours where a face looks up, and down, and of the sun.
  var skyUp = [0.75, 0.75, 0.75], skyDown = [0.315, 0.288, 0.25], sun = [0.65, 0.622, 0.571];
  var sunWay = [-0.528, 0.422, 0.739]; // x east, y north, z up
  function placeBlocks(everything) {
    var r = turnNow, corners = 0, points = 0;
    var eyeX = camera.position.x, eyeY = -camera.position.z, eyeZ = camera.position.y;
    var width = canvas.clientWidth, height = canvas.clientHeight;
    view.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    changed[0] = changed[1] = Infinity; changed[2] = changed[3] = -Infinity;
    for (var b = 0; b < blockCount; b++) {
      blockPose(b);
      var px = centreNow[0], py = centreNow[1], pz = centreNow[2];
      if (b === selected) { colour[0] = 230; colour[1] = 60; colour[2] = 150; }
      else if (colouring === 'speed') { speedColour(blockSpeed(b) / speedTop, colour); }
      else { rockColour(b, colour); }
      noteChange(b, everything, width, height);
      // Eye, sun and the upward direction in the block's own axes.
      var dx = eyeX - px, dy = eyeY - py, dz = eyeZ - pz;
      var ex = r[0] * dx + r[3] * dy + r[6] * dz, ey = r[1] * dx + r[4] * dy + r[7] * dz, ez = r[2] * dx + r[5] * dy + r[8] * dz;
      var lx = r[0] * sunWay[0] + r[3] * sunWay[1] + r[6] * sunWay[2];
      var ly = r[1] * sunWay[0] + r[4] * sunWay[1] + r[7] * sunWay[2];
      var lz = r[2] * sunWay[0] + r[5] * sunWay[1] + r[8] * sunWay[2];
      var v0 = 3 * vertexStart[b];
      for (var f = faceStart[b]; f < faceStart[b + 1]; f++) {
        var nx = facePlane[4 * f], ny = facePlane[4 * f + 1], nz = facePlane[4 * f + 2];
        if (nx * ex + ny * ey + nz * ez <= facePlane[4 * f + 3]) { continue; }
        var up = 0.5 + 0.5 * (r[6] * nx + r[7] * ny + r[8] * nz), lit = Math.max(0, nx * lx + ny * ly + nz * lz);
        var red = colour[0] * (skyDown[0] + up * (skyUp[0] - skyDown[0]) + lit * sun[0]);
        var green = colour[1] * (skyDown[1] + up * (skyUp[1] - skyDown[1]) + lit * sun[1]);
        var blue = colour[2] * (skyDown[2] + up * (skyUp[2] - skyDown[2]) + lit * sun[2]);
        var c0 = cornerStart[f], n = cornerStart[f + 1] - c0;
        for (var i = 2; i < n; i++) {
          index[points++] = corners; index[points++] = corners + i - 1; index[points++] = corners + i;
        }
        for (var c = c0; c < c0 + n; c++) {
          var v = v0 + 3 * corner[c], vx = bodyVertex[v], vy = bodyVertex[v + 1], vz = bodyVertex[v + 2], o = 3 * corners, k = 4 * corners++;
          worldPosition[o] = px + r[0] * vx + r[1] * vy + r[2] * vz;
          worldPosition[o + 1] = pz + r[6] * vx + r[7] * vy + r[8] * vz;
          worldPosition[o + 2] = -(py + r[3] * vx + r[4] * vy + r[5] * vz);
          paint[k] = red; paint[k + 1] = green; paint[k + 2] = blue;
        }
      }
    }
    upload(blocks.attributes.position, 3 * corners);
    upload(blocks.attributes.color, 4 * corners);
    upload(blocks.index, points);
    blocks.setDrawRange(0, points);
  }
  function upload(attribute, count) {
    attribute.updateRange.count = Math.max(1, count);
    attribute.needsUpdate = true;
  }

  // ---- view -------------------------------------------------------------------------------------
  var controls = new THREE.OrbitControls(camera, canvas);
  controls.enableKeys = false;
  controls.enableDamping = false;
  controls.maxPolarAngle = Math.PI * 0.495;
  controls.addEventListener('change', function () { dirty = true; });
  // Looks at where the blocks go, from in front of the slope and to its side.
  function resetView() {
    var lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], from = [0, 0], to = [0, 0];
    for (var b = 0; b < blockCount; b++) {
      for (var e = 0; e < 2; e++) {
        blockPlace(b, e ? frameCount - 1 : 0, p0);
        for (var i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], p0[i]); hi[i] = Math.max(hi[i], p0[i]); }
        (e ? to : from)[0] += p0[0] / blockCount; (e ? to : from)[1] += p0[1] / blockCount;
      }
    }
    if (surveyed) {
      surveyed.geometry.computeBoundingBox();
      var skinLow = surveyed.geometry.boundingBox.min, skinHigh = surveyed.geometry.boundingBox.max;
      lo = [Math.min(lo[0], skinLow.x), Math.min(lo[1], -skinHigh.z), Math.min(lo[2], skinLow.y)];
      hi = [Math.max(hi[0], skinHigh.x), Math.max(hi[1], -skinLow.z), Math.max(hi[2], skinHigh.y)];
    }
    var size = Math.max(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2], 20);
    var dx = to[0] - from[0], dy = to[1] - from[1], d = Math.sqrt(dx * dx + dy * dy);
    if (d < 1e-6) { dx = 0; dy = -1; d = 1; }
    dx /= d; dy /= d;
    var bend = 0.72, ex = dx * Math.cos(bend) - dy * Math.sin(bend), ey = dx * Math.sin(bend) + dy * Math.cos(bend);
    var far = size * (camera.aspect < 1 ? 2.2 : 1.6);
    controls.target.set((lo[0] + hi[0]) / 2, (lo[2] + hi[2]) / 2, -(lo[1] + hi[1]) / 2);
    camera.position.set(controls.target.x + ex * far * 0.84, controls.target.y + far * 0.62, controls.target.z - ey * far * 0.84);
    camera.near = size / 200;
    camera.far = size * 60;
    camera.updateProjectionMatrix();
    controls.update();
    dirty = true;
  }
  function resize() {
    var width = box.clientWidth, height = Math.round(Math.min(width * 0.6, window.innerHeight * 0.72));
    height = Math.max(height, 260);
    if (renderer.domElement.width !== Math.round(width * renderer.getPixelRatio()) || canvas.clientHeight !== height) {
      renderer.setSize(width, height);
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
      dirty = true;
    }
  }
  function dress() {
    var dark = window.matchMedia && window.matchMedia('(prefers-color-scheme: dark)').matches;
    renderer.setClearColor(dark ? 0x20242a : 0xdfe7ee, 1);
    dirty = true;
  }

  // ---- controls ---------------------------------------------------------------------------------
  var playButton = element('replay-play'), slider = element('replay-time'), clock = element('replay-clock');
  var rate = element('replay-speed'), playing = false, before = 0, moved = false;
  slider.max = String(lastTime);
  slider.step = String(Math.max(lastTime / 2000, 0.001));
  function format(value, digits) { return value.toFixed(digits); }
  function showTime() {
    slider.value = String(now);
    clock.textContent = format(now, 1) + ' s of ' + format(lastTime, 1) + ' s';
    slider.setAttribute('aria-valuetext', clock.textContent);
  }
  function setTime(t) {
    now = Math.min(lastTime, Math.max(0, t));
    findFrame(now);
    showTime();
    if (selected >= 0) { showBlock(); }
    moved = true;
  }
  function setPlaying(on) {
    if (on && now >= lastTime - 1e-6) { setTime(0); }
    playing = on;
    useRatio(on ? playRatio : stillRatio);
    playButton.textContent = on ? 'Pause' : 'Play';
    playButton.setAttribute('aria-pressed', on ? 'true' : 'false');
    before = 0;
  }
  playButton.addEventListener('click', function () { setPlaying(!playing); });
  slider.addEventListener('input', function () { setPlaying(false); setTime(parseFloat(slider.value)); });
  element('replay-reset').addEventListener('click', function () { resetView(); });
  element('replay-ground').addEventListener('change', function () {
    terrain.material.map = textures[this.value] || textures.hillshade;
    terrain.material.needsUpdate = true;
    dirty = true;
  });
  element('replay-colour').addEventListener('change', function () {
    colouring = this.value;
    element('replay-legend').hidden = colouring !== 'speed';
    moved = true;
  });
  var surveyBox = element('replay-surveyed');
  if (surveyBox) {
    surveyBox.disabled = !surveyed;
    surveyBox.addEventListener('change', function () { surveyed.visible = this.checked; dirty = true; });
  }
  element('replay-speed-top').textContent = format(speedTop, speedTop < 10 ? 1 : 0) + ' m/s';

  canvas.addEventListener('keydown', function (event) {
    var offset = camera.position.clone().sub(controls.target), done = true;
    var s = new THREE.Spherical().setFromVector3(offset);
    if (event.key === ' ') { setPlaying(!playing); }
    else if (event.key === 'ArrowLeft') { s.theta -= 0.08; }
    else if (event.key === 'ArrowRight') { s.theta += 0.08; }
    else if (event.key === 'ArrowUp') { s.phi = Math.max(0.1, s.phi - 0.06); }
    else if (event.key === 'ArrowDown') { s.phi = Math.min(1.5, s.phi + 0.06); }
    else if (event.key === '+' || event.key === '=') { s.radius *= 0.9; }
    else if (event.key === '-') { s.radius *= 1.1; }
    else if (event.key === 'n') { select((selected + 1) % blockCount); }
    else if (event.key === 'Escape') { select(-1); }
    else { done = false; }
    if (done) {
      camera.position.copy(controls.target).add(offset.setFromSpherical(s));
      controls.update();
      dirty = true;
      event.preventDefault();
    }
  });

  // ---- a block's numbers --------------------------------------------------------------------------
  var card = element('replay-card');
  function digits(value) { return value >= 100 ? String(Math.round(value)) : value.toPrecision(3); }
  function amount(value, unit) {
    var units = unit === 'kg' ? [[1e6, 'kt'], [1e3, 't'], [1, 'kg']] : [[1e9, 'GJ'], [1e6, 'MJ'], [1e3, 'kJ'], [1, 'J']];
    for (var i = 0; i < units.length; i++) {
      if (value >= units[i][0] || i === units.length - 1) { return digits(value / units[i][0]) + ' ' + units[i][1]; }
    }
    return '';
  }
  function showBlock() {
    var n = 5 * selected, at = shownFrame + (shownShare > 0.5 ? 1 : 0);
    blockPlace(selected, Math.min(at, frameCount - 1), p1);
    var rows = [['Volume', digits(number[n]) + ' m\u00b3'], ['Mass', amount(number[n + 1], 'kg')],
      ['Speed now', format(blockSpeed(selected), 1) + ' m/s'], ['Greatest speed', format(number[n + 2], 1) + ' m/s'],
      ['Greatest energy', amount(number[n + 3], 'J')], ['Way travelled', format(number[n + 4], 1) + ' m']];
    card.innerHTML = '<strong>Block ' + selected + '</strong><dl>' + rows.map(function (r) {
      return '<div><dt>' + r[0] + '</dt><dd>' + r[1] + '</dd></div>'; }).join('') + '</dl>';
  }
  function select(b) {
    selected = b;
    card.hidden = b < 0;
    trail.visible = b >= 0;
    if (b >= 0) {
      var line = new Float32Array(3 * frameCount);
      for (var f = 0; f < frameCount; f++) {
        blockPlace(b, f, p0);
        line[3 * f] = p0[0]; line[3 * f + 1] = p0[2]; line[3 * f + 2] = -p0[1];
      }
      trail.geometry.dispose();
      trail.geometry = new THREE.BufferGeometry();
      trail.geometry.setAttribute('position', new THREE.BufferAttribute(line, 3));
      showBlock();
    }
    dirty = true;
  }
  var pressed = null;
  canvas.addEventListener('pointerdown', function (e) { pressed = [e.clientX, e.clientY]; });
  canvas.addEventListener('pointerup', function (e) {
    if (!pressed || Math.abs(e.clientX - pressed[0]) + Math.abs(e.clientY - pressed[1]) > 5) { return; }
    pick(e.clientX, e.clientY);
  });
  // The nearest block on the ray from the eye: inside all its planes at once.
  function pick(clientX, clientY) {
    var box = canvas.getBoundingClientRect(), best = -1, nearest = Infinity, r = turnNow;
    var aim = new THREE.Vector3((clientX - box.left) / box.width * 2 - 1, 1 - (clientY - box.top) / box.height * 2, 0.5);
    aim.unproject(camera).sub(camera.position).normalize();
    for (var b = 0; b < blockCount; b++) {
      blockPose(b);
      var dx = camera.position.x - centreNow[0], dy = -camera.position.z - centreNow[1], dz = camera.position.y - centreNow[2];
      var enter = 0, leave = nearest;
      for (var f = faceStart[b]; f < faceStart[b + 1] && enter < leave; f++) {
        var nx = facePlane[4 * f], ny = facePlane[4 * f + 1], nz = facePlane[4 * f + 2];
        var wx = r[0] * nx + r[1] * ny + r[2] * nz, wy = r[3] * nx + r[4] * ny + r[5] * nz, wz = r[6] * nx + r[7] * ny + r[8] * nz;
        var height = wx * dx + wy * dy + wz * dz - facePlane[4 * f + 3], fall = wx * aim.x - wy * aim.z + wz * aim.y;
        if (fall < 0) { enter = Math.max(enter, -height / fall); }
        else if (fall > 0) { leave = Math.min(leave, -height / fall); }
        else if (height > 0) { leave = 0; }
      }
      if (enter < leave) { nearest = enter; best = b; }
    }
    select(best);
  }

  // ---- loop -------------------------------------------------------------------------------------
  function useRatio(ratio) {
    if (renderer.getPixelRatio() !== ratio) {
      renderer.setPixelRatio(ratio);
      dirty = true;
    }
  }
  // A graphics card draws everything each time. Without one, what stays as it was is left alone.
  function draw() {
    var everything = dirty || smooth;
    camera.updateMatrixWorld();
    placeBlocks(everything);
    dirty = moved = false;
    if (everything) {
      renderer.setScissorTest(false);
    } else {
      var left = Math.max(0, Math.floor(changed[0])), low = Math.max(0, Math.floor(changed[1]));
      var right = Math.min(canvas.clientWidth, Math.ceil(changed[2])), top = Math.min(canvas.clientHeight, Math.ceil(changed[3]));
      if (!(right > left && top > low)) { return; }
      renderer.setScissor(left, low, right - left, top - low);
      renderer.setScissorTest(true);
    }
    renderer.render(scene, camera);
  }
  // Fewer pixels when a machine cannot keep up, judged over thirty frames at a time.
  var slowSince = 0, slowFrames = 0;
  function adapt(stamp) {
    if (!slowSince || !playing) { slowSince = stamp; slowFrames = 0; return; }
    if (++slowFrames < 30) { return; }
    if ((stamp - slowSince) / slowFrames > 36 && playRatio > 0.55) {
      playRatio = Math.max(0.5, playRatio * 0.8);
      useRatio(playRatio);
    }
    slowSince = stamp; slowFrames = 0;
  }
  function loop(stamp) {
    requestAnimationFrame(loop);
    adapt(stamp);
    if (playing) {
      if (before) { setTime(now + (stamp - before) / 1000 * parseFloat(rate.value)); }
      before = stamp;
      if (now >= lastTime) { setPlaying(false); }
    }
    if (dirty || moved) { draw(); }
  }
  window.addEventListener('resize', function () { resize(); });
  if (window.matchMedia) {
    var scheme = window.matchMedia('(prefers-color-scheme: dark)');
    if (scheme.addEventListener) { scheme.addEventListener('change', dress); }
  }
  dress();
  resize();
  setTime(0);
  resetView();
  root.setAttribute('data-replay', 'ok');
  root.setAttribute('data-replay-blocks', String(blockCount));
  root.setAttribute('data-replay-frames', String(frameCount));

  // #t=12.5 opens at that moment; #play begins at once.
  var wanted = /[#&]t=([0-9.]+)/.exec(location.hash);
  if (wanted) { setTime(parseFloat(wanted[1])); }
  if (/[#&]play\b/.test(location.hash)) { setPlaying(true); }
  requestAnimationFrame(loop);

  // #selftest: the page tries its own controls and writes what it saw into attributes of <html>.
  if (/[#&]selftest\b/.test(location.hash)) { selfTest(); }
  function pixels() {
    if (dirty || moved) { draw(); }
    var w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, p = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
    var hash = 2166136261, seen = {}, colours = 0;
    for (var i = 0; i < p.length; i += 4) {
      var word = p[i] << 16 | p[i + 1] << 8 | p[i + 2];
      hash = Math.imul(hash ^ word, 16777619);
      if (colours < 64 && !seen[word]) { seen[word] = 1; colours++; }
    }
    return { hash: hash >>> 0, colours: colours };
  }
  function note(name, value) { root.setAttribute('data-test-' + name, String(value)); }
  function fire(node, name) { node.dispatchEvent(new Event(name)); }
  function selfTest() {
    setTimeout(function () {
      var first = pixels();
      slider.value = String(lastTime / 2); fire(slider, 'input');
      var second = pixels();
      dirty = true;
      note('partial', pixels().hash === second.hash ? 'whole' : 'torn');
      note('colours', first.colours);
      note('slider', first.hash !== second.hash ? 'moves' : 'dead');
      var ground = element('replay-ground');
      if (textures.change) { ground.value = 'change'; fire(ground, 'change'); note('ground', pixels().hash !== second.hash ? 'changes' : 'dead'); ground.value = 'hillshade'; fire(ground, 'change'); }
      var paint = element('replay-colour'), third = pixels();
      paint.value = 'speed'; fire(paint, 'change'); note('colour', pixels().hash !== third.hash ? 'changes' : 'dead');
      paint.value = 'rock'; fire(paint, 'change');
      if (surveyed) { surveyBox.checked = true; fire(surveyBox, 'change'); note('surveyed', pixels().hash !== third.hash ? 'shows' : 'dead'); surveyBox.checked = false; fire(surveyBox, 'change'); }
      camera.position.y *= 1.2; controls.update(); note('orbit', pixels().hash !== third.hash ? 'turns' : 'dead');
      element('replay-reset').click();
      playButton.click(); note('play', playing ? 'plays' : 'dead'); playButton.click(); note('pause', playing ? 'dead' : 'pauses');
      // Click where some block is on the screen.
      var found = false;
      for (var b = 0; b < blockCount && !found; b++) {
        blockPlace(b, shownFrame, p0);
        var v = new THREE.Vector3(p0[0], p0[2], -p0[1]).project(camera), r = canvas.getBoundingClientRect();
        pick(r.left + (v.x + 1) / 2 * r.width, r.top + (1 - v.y) / 2 * r.height);
        found = selected >= 0;
      }
      note('click', found && card.textContent.indexOf('Volume') >= 0 ? 'tells' : 'dead');
      select(-1);
      // Drawing many frames takes time that the test measures from outside: inside, time may be virtual.
      var asked = /[#&]frames=([0-9]+)/.exec(location.hash), frames = asked ? parseInt(asked[1], 10) : 0;
      for (var i = 0; i < frames; i++) { setTime(lastTime * i / frames); draw(); gl.finish(); }
      if (frames) { note('last', pixels().hash); dirty = true; note('redrawn', pixels().hash); }
      note('frames', frames);
      note('requests', performance.getEntriesByType('resource').filter(function (e) { return !/^(data|blob):/.test(e.name); }).length);
      note('done', 'yes');
    }, 400);
  }
})();
