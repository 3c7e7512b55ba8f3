// SPDX-License-Identifier: GPL-3.0-or-later
// The eye of the replay: turns around a target, by pointer, touch and keys.
(function () {
  'use strict';
  var talus = window.talus, v = talus.vector, TAN = Math.tan(0.33);

  // `ground(x, y)` is the height there; the eye stays above it. `changed` is called after each move.
  talus.makeCamera = function (canvas, ground, changed) {
    var camera = { target: [0, 0, 0], azimuth: 0, height: 0.6, distance: 100, aspect: 1, size: 100 };
    function back() {
      return [Math.sin(camera.azimuth) * Math.cos(camera.height), Math.cos(camera.azimuth) * Math.cos(camera.height), Math.sin(camera.height)];
    }
    camera.eye = function () {
      var b = back();
      return [0, 1, 2].map(function (i) { return camera.target[i] + camera.distance * b[i]; });
    };
    camera.view = function () {
      var near = camera.distance / 60, far = camera.distance + 6 * camera.size, tall = 1 / TAN;
      var lens = new Float32Array([tall / camera.aspect, 0, 0, 0, 0, tall, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
      return v.multiply(lens, talus.lookFrom(camera.eye(), back(), [0, 0, 1]));
    };
    // Metres that a pixel of the page shows at the target.
    camera.pixel = function () { return 2 * camera.distance * TAN / canvas.clientHeight; };
    // The way from the eye through a point of the page.
    camera.ray = function (clientX, clientY) {
      var box = canvas.getBoundingClientRect(), b = back(), right = v.unit(v.cross([0, 0, 1], b)), up = v.cross(b, right);
      var x = ((clientX - box.left) / box.width * 2 - 1) * TAN * camera.aspect, y = (1 - (clientY - box.top) / box.height * 2) * TAN;
      return v.unit([0, 1, 2].map(function (i) { return x * right[i] + y * up[i] - b[i]; }));
    };
    // Where that way meets the ground, or null.
    camera.hit = function (clientX, clientY) {
      var eye = camera.eye(), way = camera.ray(clientX, clientY), far = camera.distance + 4 * camera.size, step = camera.size / 400, last = 0;
      for (var t = 0; t < far; t += step) {
        var above = eye[2] + t * way[2] - ground(eye[0] + t * way[0], eye[1] + t * way[1]);
        if (above <= 0) {
          for (var k = 0; k < 20; k++) {
            var mid = (last + t) / 2;
            if (eye[2] + mid * way[2] > ground(eye[0] + mid * way[0], eye[1] + mid * way[1])) { last = mid; } else { t = mid; }
          }
          return [eye[0] + t * way[0], eye[1] + t * way[1]];
        }
        last = t;
      }
      return null;
    };
    // Comes as near as all points (x, y, z one after another) stay inside the picture.
    camera.fit = function (points, azimuth, height, margin) {
      camera.azimuth = azimuth; camera.height = height;
      var b = back(), right = v.unit(v.cross([0, 0, 1], b)), up = v.cross(b, right), lo = [Infinity, Infinity], hi = [-Infinity, -Infinity], i, k;
      var middle = [0, 0, 0];
      for (i = 0; i < points.length; i += 3) { for (k = 0; k < 3; k++) { middle[k] += points[i + k] * 3 / points.length; } }
      camera.target = middle;
      // Nearer points spread wider: the middle of what is seen is found in a few rounds.
      for (var round = 0; round < 6; round++) {
        var distance = 0;
        lo = [Infinity, Infinity]; hi = [-Infinity, -Infinity];
        for (i = 0; i < points.length; i += 3) {
          var p = [points[i] - camera.target[0], points[i + 1] - camera.target[1], points[i + 2] - camera.target[2]];
          var x = v.dot(p, right), y = v.dot(p, up), z = v.dot(p, b);
          distance = Math.max(distance, z + Math.abs(x) / (TAN * camera.aspect * margin), z + Math.abs(y) / (TAN * margin));
        }
        camera.distance = Math.max(distance, 1);
        for (i = 0; i < points.length; i += 3) {
          p = [points[i] - camera.target[0], points[i + 1] - camera.target[1], points[i + 2] - camera.target[2]];
          var depth = Math.max(camera.distance - v.dot(p, b), 0.1 * camera.distance) / camera.distance;
          x = v.dot(p, right) / depth; y = v.dot(p, up) / depth;
          lo = [Math.min(lo[0], x), Math.min(lo[1], y)]; hi = [Math.max(hi[0], x), Math.max(hi[1], y)];
        }
        for (k = 0; k < 3; k++) { camera.target[k] += (lo[0] + hi[0]) / 2 * right[k] + (lo[1] + hi[1]) / 2 * up[k]; }
      }
      changed();
    };
    camera.turn = function (dx, dy) {
      camera.azimuth += dx;
      camera.height = Math.min(1.55, Math.max(0.03, camera.height + dy));
      changed();
    };
    camera.zoom = function (factor) {
      camera.distance = Math.min(20 * camera.size, Math.max(camera.size / 300, camera.distance * factor));
      changed();
    };
    camera.pan = function (dx, dy) {
      var metre = camera.pixel(), s = Math.sin(camera.azimuth), c = Math.cos(camera.azimuth);
      camera.target[0] += metre * (dy * s - dx * c);
      camera.target[1] += metre * (dy * c + dx * s);
      var z = ground(camera.target[0], camera.target[1]);
      if (isFinite(z)) { camera.target[2] += 0.2 * (z - camera.target[2]); }
      changed();
    };

    // One pointer turns, with Shift or the other button it moves the ground; two pinch.
    var held = {}, spread = 0;
    function two() { return Object.keys(held).map(function (k) { return held[k]; }); }
    canvas.addEventListener('pointerdown', function (e) {
      held[e.pointerId] = [e.clientX, e.clientY];
      spread = 0;
      if (canvas.setPointerCapture && e.isTrusted) { canvas.setPointerCapture(e.pointerId); }
    });
    canvas.addEventListener('pointermove', function (e) {
      var last = held[e.pointerId];
      if (!last || camera.locked) { return; }
      var dx = e.clientX - last[0], dy = e.clientY - last[1];
      held[e.pointerId] = [e.clientX, e.clientY];
      var p = two();
      if (p.length === 2) {
        var wide = Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]);
        if (spread > 0) { camera.zoom(spread / wide); }
        spread = wide;
        camera.pan(-dx / 2, -dy / 2);
      } else if (e.shiftKey || e.buttons & 2) { camera.pan(-dx, -dy); }
      else { camera.turn(dx * 0.006, dy * 0.005); }
    });
    ['pointerup', 'pointercancel', 'pointerleave'].forEach(function (name) {
      canvas.addEventListener(name, function (e) { delete held[e.pointerId]; spread = 0; });
    });
    canvas.addEventListener('contextmenu', function (e) { e.preventDefault(); });
    // The wheel belongs to the page until the picture was clicked.
    canvas.addEventListener('wheel', function (e) {
      if (document.activeElement !== canvas && !e.ctrlKey) { return; }
      e.preventDefault();
      camera.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(0.2, Math.abs(e.deltaY) * 0.002)));
    }, { passive: false });
    return camera;
  };
})();
