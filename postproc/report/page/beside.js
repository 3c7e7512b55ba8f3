// SPDX-License-Identifier: GPL-3.0-or-later
// In a page that compares two runs: shows the replay alone, does what that page says, and hands over
// the thickness of its deposit.
(function () {
  'use strict';
  var talus = window.talus, root = document.documentElement;
  if (!/[#&]beside\b/.test(location.hash) || window.parent === window || !talus.replay) { return; }
  var replay = talus.replay, f = talus.fields, camera = replay.camera, told = '';
  root.classList.add('beside');
  function tell(message) {
    message.talus = 1;
    window.parent.postMessage(message, '*');
  }
  function view() { return { azimuth: camera.azimuth, height: camera.height, distance: camera.distance, target: Array.prototype.slice.call(camera.target) }; }
  window.addEventListener('message', function (event) {
    var said = event.data;
    if (event.source !== window.parent || !said || said.talus !== 1) { return; }
    if (isFinite(said.time)) { replay.setTime(Math.min(said.time, replay.motion.last)); }
    if (said.view) {
      ['azimuth', 'height', 'distance', 'target'].forEach(function (name) { camera[name] = said.view[name]; });
      told = JSON.stringify(said.view);
      replay.redraw();
    }
  });
  // A turn of one view turns the other.
  setInterval(function () {
    var now = JSON.stringify(view());
    if (now !== told) { told = now; tell({ view: view() }); }
  }, 60);
  window.dispatchEvent(new Event('resize'));
  replay.setView(replay.views[0]);
  told = JSON.stringify(view());
  tell({ start: view(), last: replay.motion.last, grid: { west: f.west, north: f.north, cell: f.cell, columns: f.columns, rows: f.rows },
    thickness: f.byKey.thickness.value, bed: f.byKey.bed.value });
})();
