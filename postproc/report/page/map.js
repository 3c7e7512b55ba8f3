// SPDX-License-Identifier: GPL-3.0-or-later
// The map at the top of the report: without scripts a picture, with them it moves, zooms, shows
// layers, compares two of them, tells values and draws sections.
(function () {
  'use strict';
  var talus = window.talus, element = talus.element, f = talus.fields, svg = element('map');
  if (!svg || !f) { return; }
  var NS = 'http://www.w3.org/2000/svg', west = +svg.dataset.west, north = +svg.dataset.north, scale = +svg.dataset.scale;
  var home = svg.getAttribute('viewBox').split(' ').map(Number), box = home.slice(), bar = element('map-bar');
  bar.hidden = element('map-read').hidden = false;
  svg.setAttribute('tabindex', '0');
  function make(name, attributes, parent) {
    var node = document.createElementNS(NS, name);
    for (var key in attributes) { node.setAttribute(key, attributes[key]); }
    parent.appendChild(node);
    return node;
  }
  function mapX(x) { return (x - west) * scale; }
  function mapY(y) { return (north - y) * scale; }
  function picture(canvas, parent, smooth) {
    return make('image', { x: mapX(f.west), y: mapY(f.north), width: (f.east - f.west) * scale, height: (f.north - f.south) * scale, preserveAspectRatio: 'none',
      style: smooth ? '' : 'image-rendering:pixelated', href: canvas.toDataURL() }, parent);
  }

  // ---- layers -------------------------------------------------------------------------------------
  // The whole site under the finer picture of its middle.
  var ground = element('map-ground'), layers = element('map-layers'), first = ground.firstElementChild;
  ground.insertBefore(picture(talus.shade(f.byKey.bed), ground, true), first);
  var clips = ['map-left', 'map-right'].map(function (id) {
    return make('rect', { x: 0, y: -1e5, width: 1e5, height: 2e5 }, make('clipPath', { id: id }, svg.insertBefore(document.createElementNS(NS, 'defs'), svg.firstChild)));
  });
  var groups = [layers, make('g', {}, layers.parentNode)];
  layers.parentNode.insertBefore(groups[1], layers.nextSibling);
  var edge = make('path', { 'class': 'edge' }, svg), selects = [element('map-layer'), element('map-second')], opacity = element('map-opacity'), wipe = element('map-wipe');
  var SHADED = f.byKey.before && f.byKey.after ? [{ key: 'shade-before', title: 'Shaded ground before', of: 'before' }, { key: 'shade-after', title: 'Shaded ground after', of: 'after' }] : [];
  selects.forEach(function (select, i) {
    talus.option(select, '', 'None');
    f.shown.concat(SHADED).forEach(function (layer) { talus.option(select, layer.key, layer.title); });
    select.value = i === 0 && f.byKey.thickness ? 'thickness' : '';
  });
  function isWiping() { return selects[1].value !== ''; }
  function showLayers() {
    selects.forEach(function (select, i) {
      var layer = f.byKey[select.value], shaded = SHADED.filter(function (row) { return row.key === select.value; })[0];
      groups[i].textContent = '';
      if (layer) { picture(talus.paint(layer), groups[i], false); } else if (shaded) { picture(talus.shade(f.byKey[shaded.of]), groups[i], true); }
    });
    showOpacity();
    element('map-key').innerHTML = selects.map(function (select) { return f.byKey[select.value] ? talus.legendHtml(f.byKey[select.value]) : ''; })
      .filter(Boolean).map(function (html) { return '<li>' + html + '</li>'; }).join('');
    wipe.disabled = !isWiping();
    showWipe();
  }
  function showOpacity() {
    groups.forEach(function (group, i) { group.setAttribute('opacity', /^shade/.test(selects[i].value) ? 1 : opacity.value / 100); });
  }
  // Left of the edge the first layer, right of it the second.
  function showWipe() {
    var at = box[0] + box[2] * wipe.value / 100, on = isWiping();
    clips[0].setAttribute('x', -1e5); clips[0].setAttribute('width', at + 1e5);
    clips[1].setAttribute('x', at);
    groups.forEach(function (group, i) { if (on) { group.setAttribute('clip-path', 'url(#map-' + ['left', 'right'][i] + ')'); } else { group.removeAttribute('clip-path'); } });
    edge.setAttribute('d', on ? 'M' + at + ' ' + box[1] + 'v' + box[3] : '');
  }
  selects.forEach(function (select) { select.addEventListener('change', showLayers); });
  opacity.addEventListener('input', showOpacity);
  wipe.addEventListener('input', showWipe);
  element('map-outlines').addEventListener('change', function () { element('map-lines').style.display = this.checked ? '' : 'none'; });

  // ---- moving -------------------------------------------------------------------------------------
  function showBox() {
    var width = Math.min(4 * home[2], Math.max(home[2] / 40, box[2]));
    box[0] += (box[2] - width) / 2; box[1] += (box[3] - width * home[3] / home[2]) / 2;
    box[2] = width; box[3] = width * home[3] / home[2];
    svg.setAttribute('viewBox', box.map(function (v) { return v.toFixed(2); }).join(' '));
    // The marks keep their size on the screen and their corners.
    var k = box[2] / home[2], marks = element('map-marks');
    marks.setAttribute('transform', 'translate(' + box[0] + ' ' + box[1] + ') scale(' + k + ')');
    var metres = talus.roundDown(home[2] * k / scale / 5), long = metres * scale / k, text = marks.querySelector('.scale text');
    text.textContent = metres >= 1000 ? metres / 1000 + ' km' : metres + ' m';
    marks.querySelector('.scale path').setAttribute('d', 'M28 ' + (home[3] - 34) + 'v9h' + long + 'v-9');
    marks.querySelector('.scale rect').setAttribute('width', Math.max(long, 90) + 28);
    showWipe();
  }
  function zoom(factor, x, y) {
    var size = box[2];
    box[2] *= factor; box[3] *= factor;
    box[0] += (size - box[2]) * x; box[1] += (size - box[2]) * home[3] / home[2] * y;
    showBox();
  }
  // A point of the page as metres from the origin.
  function place(e) {
    var m = svg.getScreenCTM().inverse(), x = m.a * e.clientX + m.c * e.clientY + m.e, y = m.b * e.clientX + m.d * e.clientY + m.f;
    return [west + x / scale, north - y / scale];
  }
  function share(e) {
    var p = place(e);
    return [(mapX(p[0]) - box[0]) / box[2], (mapY(p[1]) - box[1]) / box[3]];
  }
  function tell(p) {
    var words = ['E ' + (f.east0 + p[0]).toFixed(1) + ' m', 'N ' + (f.north0 + p[1]).toFixed(1) + ' m'], z = talus.cellValue(f.byKey.bed, p[0], p[1]);
    if (isFinite(z)) { words.push('height ' + z.toFixed(1) + ' m'); }
    selects.forEach(function (select) {
      var layer = f.byKey[select.value];
      if (layer) { var v = talus.cellValue(layer, p[0], p[1]); words.push(layer.title.toLowerCase() + ' ' + (isFinite(v) ? talus.amount(v, layer.unit) : 'none')); }
    });
    element('map-read').textContent = words.join(' \u00b7 ');
  }
  function tellMiddle() { tell([west + (box[0] + box[2] / 2) / scale, north - (box[1] + box[3] / 2) / scale]); }
  var held = {}, spread = 0, pressed = null;
  svg.addEventListener('pointerdown', function (e) {
    held[e.pointerId] = [e.clientX, e.clientY]; pressed = [e.clientX, e.clientY]; spread = 0;
    if (e.isTrusted) { svg.setPointerCapture(e.pointerId); }
  });
  svg.addEventListener('pointermove', function (e) {
    tell(place(e));
    var last = held[e.pointerId];
    if (!last) { return; }
    var k = svg.getScreenCTM().a, points;
    box[0] -= (e.clientX - last[0]) / k; box[1] -= (e.clientY - last[1]) / k;
    held[e.pointerId] = [e.clientX, e.clientY];
    points = Object.keys(held).map(function (id) { return held[id]; });
    if (points.length === 2) {
      var wide = Math.hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]);
      if (spread > 0) { zoom(spread / wide, 0.5, 0.5); }
      spread = wide;
    }
    showBox();
  });
  ['pointerup', 'pointercancel'].forEach(function (name) { svg.addEventListener(name, function (e) { delete held[e.pointerId]; spread = 0; }); });
  // The wheel belongs to the page until the map was clicked.
  svg.addEventListener('wheel', function (e) {
    if (document.activeElement !== svg && !e.ctrlKey) { return; }
    e.preventDefault();
    var s = share(e);
    zoom(Math.exp(Math.sign(e.deltaY) * Math.min(0.25, Math.abs(e.deltaY) * 0.002)), s[0], s[1]);
  }, { passive: false });
  svg.addEventListener('keydown', function (e) {
    var step = box[2] / 12, keys = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (keys[e.key]) { box[0] += keys[e.key][0]; box[1] += keys[e.key][1]; showBox(); }
    else if (e.key === '+' || e.key === '=') { zoom(0.8, 0.5, 0.5); } else if (e.key === '-') { zoom(1.25, 0.5, 0.5); } else if (e.key === '0') { box = home.slice(); showBox(); } else { return; }
    tellMiddle();
    e.preventDefault();
  });
  element('map-in').addEventListener('click', function () { zoom(0.7, 0.5, 0.5); tellMiddle(); });
  element('map-out').addEventListener('click', function () { zoom(1 / 0.7, 0.5, 0.5); tellMiddle(); });
  element('map-home').addEventListener('click', function () { box = home.slice(); showBox(); });

  // ---- section ------------------------------------------------------------------------------------
  var section = { on: false, first: null, line: null }, button = element('map-section-button'), panel = element('map-section-box'), drawn = make('path', { 'class': 'section-line' }, svg);
  function setSection(line) {
    section.line = line;
    panel.hidden = !line;
    drawn.setAttribute('d', line ? 'M' + mapX(line[0]) + ' ' + mapY(line[1]) + 'L' + mapX(line[2]) + ' ' + mapY(line[3]) : '');
    if (line) { section.lines = talus.drawSection(panel, line, null, 'Section of ground, survey and simulation'); }
  }
  button.addEventListener('click', function () {
    section.on = !section.on; section.first = null;
    button.setAttribute('aria-pressed', section.on ? 'true' : 'false');
    svg.style.cursor = section.on ? 'crosshair' : '';
    // Without a pointer the line crosses the middle of the map from west to east.
    setSection(section.on ? [west + (box[0] + 0.1 * box[2]) / scale, north - (box[1] + box[3] / 2) / scale, west + (box[0] + 0.9 * box[2]) / scale, north - (box[1] + box[3] / 2) / scale] : null);
  });
  svg.addEventListener('pointerup', function (e) {
    if (!section.on || !pressed || Math.abs(e.clientX - pressed[0]) + Math.abs(e.clientY - pressed[1]) > 5) { return; }
    var p = place(e);
    if (section.first) { setSection(section.first.concat(p)); section.first = null; } else { section.first = p; }
  });

  // ---- export -------------------------------------------------------------------------------------
  // What is seen, at twice the map's size, as a PNG.
  function render(done) {
    var copy = svg.cloneNode(true), image = new Image(), width = 2000, height = Math.round(width * box[3] / box[2]);
    copy.setAttribute('width', width); copy.setAttribute('height', height);
    copy.setAttribute('xmlns', NS);
    image.onload = function () {
      var canvas = document.createElement('canvas');
      canvas.width = width; canvas.height = height;
      var c = canvas.getContext('2d');
      c.fillStyle = '#fff'; c.fillRect(0, 0, width, height);
      c.drawImage(image, 0, 0, width, height);
      done(canvas);
    };
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  }
  element('map-export').addEventListener('click', function () {
    render(function (canvas) {
      var a = document.createElement('a');
      a.download = 'map.png'; a.href = canvas.toDataURL('image/png');
      a.click();
    });
  });
  talus.map = { render: render, box: function () { return box.slice(); }, home: home, section: section, place: place, svg: svg, setSection: setSection, wipe: wipe };
  showLayers();
  showBox();
})();
