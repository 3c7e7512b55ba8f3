// SPDX-License-Identifier: GPL-3.0-or-later
// Films of the replay: a button that records what is on the canvas, and #film for talus-post, which
// asks for frames one by one.
(function () {
  'use strict';
  var talus = window.talus, element = talus.element, r = talus.replay;
  if (!r) { return; }
  // The sky, the scene and what lies over it as one picture.
  function compose(canvas) {
    var c = canvas.getContext('2d'), sky = c.createLinearGradient(0, 0, 0, canvas.height);
    sky.addColorStop(0, '#b9cfe2'); sky.addColorStop(0.75, '#e9eef1');
    c.fillStyle = sky;
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.drawImage(r.picture(), 0, 0, canvas.width, canvas.height);
    c.drawImage(r.overlay, 0, 0, canvas.width, canvas.height);
  }

  // ---- the button ---------------------------------------------------------------------------------
  var button = element('replay-record'), recorder = null, screen = document.createElement('canvas');
  function stop() { if (recorder && recorder.state !== 'inactive') { recorder.stop(); } }
  function record() {
    var pieces = [];
    screen.width = r.overlay.width; screen.height = r.overlay.height;
    recorder = new MediaRecorder(screen.captureStream(30), { videoBitsPerSecond: 12e6 });
    recorder.ondataavailable = function (e) { if (e.data.size > 0) { pieces.push(e.data); } };
    recorder.onstop = function () {
      button.textContent = 'Record'; button.setAttribute('aria-pressed', 'false');
      recorder = null;
      var a = document.createElement('a'), url = URL.createObjectURL(new Blob(pieces, { type: 'video/webm' }));
      a.download = 'replay.webm'; a.href = url;
      document.documentElement.setAttribute('data-recorded', String(pieces.reduce(function (sum, p) { return sum + p.size; }, 0)));
      a.click();
      setTimeout(function () { URL.revokeObjectURL(url); }, 60000);
    };
    recorder.start(500);
    button.textContent = 'Stop and save'; button.setAttribute('aria-pressed', 'true');
    r.setPlaying(true);
    (function each() {
      if (!recorder) { return; }
      compose(screen);
      if (!r.isPlaying()) { setTimeout(stop, 600); return; } // the last moment is seen for a while
      requestAnimationFrame(each);
    })();
  }
  if (window.MediaRecorder && screen.captureStream) { button.addEventListener('click', function () { if (recorder) { stop(); } else { record(); } }); } else { button.hidden = true; }

  // ---- #film=FIRST,COUNT,TOTAL,WIDTH,HEIGHT ---------------------------------------------------------
  // The frames as lines of JPEG in base64, and nothing else, are what is left of the page.
  var wanted = /[#&]film=(\d+),(\d+),(\d+),(\d+),(\d+)/.exec(location.hash);
  if (!wanted) { return; }
  // Until when there is much to see: a hundredth of the blocks are faster than a metre a second.
  function busyUntil() {
    var m = r.motion;
    for (var frame = m.frameCount - 1; frame > 0; frame--) {
      for (var b = 0, fast = 0; b < m.blockCount; b++) { fast += m.speedAt(b, frame - 1) > 1 ? 1 : 0; }
      if (fast > 0.01 * m.blockCount) { return m.time[frame]; }
    }
    return m.last;
  }
  var first = +wanted[1], count = +wanted[2], total = +wanted[3], width = +wanted[4], height = +wanted[5];
  window.addEventListener('load', function () {
    setTimeout(function () {
      var canvas = document.createElement('canvas'), lines = [], azimuth, busy = busyUntil();
      canvas.width = width; canvas.height = height;
      r.fix(width, height, document.title);
      azimuth = r.camera.azimuth;
      for (var i = first; i < Math.min(first + count, total); i++) {
        // A moment of rest before and after, the last blocks in haste; the eye goes around a little all the while.
        var part = i / (total - 1), share = Math.min(1, Math.max(0, (part - 0.05) / 0.8)), rest = Math.min(1, Math.max(0, (part - 0.85) / 0.08));
        r.camera.azimuth = azimuth - 0.2 + 0.4 * part;
        r.setTime(share * busy + rest * (r.motion.last - busy));
        r.redraw();
        compose(canvas);
        lines.push(canvas.toDataURL('image/jpeg', 0.92).slice(23));
      }
      document.head.textContent = '';
      document.body.innerHTML = '<pre>\n' + lines.join('\n') + '\n</pre>';
    }, 500);
  });
})();
