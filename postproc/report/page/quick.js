// SPDX-License-Identifier: GPL-3.0-or-later
// The picture while something moves, on a machine without a graphics card. The ground is drawn by WebGL
// once, in the sun and in the shade, and kept with its depths until the eye moves; the blocks, their shadows
// and what lies over them are laid upon it here.
(function () {
  'use strict';
  var talus = window.talus;

  // Inverse of a 4 x 4 matrix, by Gauss and Jordan: places are found again from depths, so doubles.
  function inverse(m) {
    var a = [], r, c, k;
    for (r = 0; r < 4; r++) { a.push([m[r], m[4 + r], m[8 + r], m[12 + r], +(r === 0), +(r === 1), +(r === 2), +(r === 3)]); }
    for (c = 0; c < 4; c++) {
      var most = c;
      for (r = c + 1; r < 4; r++) { if (Math.abs(a[r][c]) > Math.abs(a[most][c])) { most = r; } }
      var row = a[most];
      a[most] = a[c]; a[c] = row;
      for (k = 7; k >= c; k--) { row[k] /= row[c]; }
      for (r = 0; r < 4; r++) {
        if (r !== c) { var share = a[r][c]; for (k = c; k < 8; k++) { a[r][k] -= share * row[k]; } }
      }
    }
    var out = new Float64Array(16);
    for (r = 0; r < 4; r++) { for (c = 0; c < 4; c++) { out[4 * c + r] = a[r][4 + c]; } }
    return out;
  }
  // Rows of a picture of WebGL begin at the foot.
  function turnOver(pixels, width, height) {
    var row = pixels.slice(0, width);
    for (var a = 0, b = height - 1; a < b; a++, b--) {
      row.set(pixels.subarray(a * width, (a + 1) * width));
      pixels.copyWithin(a * width, b * width, (b + 1) * width);
      pixels.set(row, b * width);
    }
  }

  // Draws on `canvas`. `tools`: gl, compile and texture of scene.js; drawGround(view, wipe, programs) and
  // drawOver(view, wipe, ratio, programs) of what stands still. null where pictures of numbers cannot be drawn.
  talus.makeQuick = function (canvas, tools, data, pose, relief) {
    var gl = tools.gl, shaders = talus.shaders, f = talus.fields, context = canvas.getContext('2d');
    if (!gl.getExtension('EXT_color_buffer_float') || !context) { return null; }
    function variant(name, define, names) { return tools.compile([shaders[name][0], shaders[name][1].replace('\n', '\n#define ' + define + '\n')], names); }
    var programs = { ground: variant('ground', 'THREE', ['place']), side: variant('side', 'THREE', ['place']) };
    var deep = { skin: variant('skin', 'DEEP', ['place']), path: variant('path', 'DEEP', ['from', 'to', 'paint']) };
    var SPARE = 5, ground = { key: '' }, picture = { width: 0, height: 0 }, image = null, frame = gl.createFramebuffer(), depthBuffer = gl.createRenderbuffer();
    var layers = [[gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE], [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE], [gl.R32F, gl.RED, gl.FLOAT]];
    var textures = layers.map(function () { return tools.texture(SPARE, gl.NEAREST); });
    function sunOn(x, y) { // of the ground below a block, from the bytes of its relief
      var c = Math.floor((x - data.box[0]) / f.cell), r = Math.floor((data.box[3] - y) / f.cell);
      return c >= 0 && r >= 0 && c < f.columns && r < f.rows ? relief[4 * (r * f.columns + c) + 3] / 255 : 1;
    }
    var raster = talus.makeRaster(data.shape, data.blockCount, sunOn);

    function resize(width, height) {
      var cells = width * height;
      canvas.width = picture.width = width; canvas.height = picture.height = height;
      image = context.createImageData(width, height);
      picture.colour = new Uint32Array(image.data.buffer); picture.depth = new Float32Array(cells);
      ground = { key: '', sunny: new Uint32Array(cells), shaded: new Uint32Array(cells), depth: new Float32Array(cells), sunPlace: new Float32Array(3 * cells),
        over: new Uint32Array(cells), overDepth: new Float32Array(cells), overAt: [] };
      gl.activeTexture(gl.TEXTURE0 + SPARE);
      layers.forEach(function (row, i) {
        gl.bindTexture(gl.TEXTURE_2D, textures[i]);
        gl.texImage2D(gl.TEXTURE_2D, 0, row[0], width, height, 0, row[1], row[2], null);
      });
      gl.bindRenderbuffer(gl.RENDERBUFFER, depthBuffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depthBuffer);
    }
    // The textures that are drawn into: numbers of `layers`.
    function aim(list) {
      var points = [gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1, gl.COLOR_ATTACHMENT2];
      points.forEach(function (point, i) { gl.framebufferTexture2D(gl.FRAMEBUFFER, point, gl.TEXTURE_2D, i < list.length ? textures[list[i]] : null, 0); });
      gl.drawBuffers(points.slice(0, list.length));
    }
    function read(attachment, layer, out) {
      gl.readBuffer(gl.COLOR_ATTACHMENT0 + attachment);
      gl.readPixels(0, 0, picture.width, picture.height, layers[layer][1], layers[layer][2], layer < 2 ? new Uint8Array(out.buffer) : out);
      turnOver(out, picture.width, picture.height);
    }
    function keepGround(view, wipe) {
      aim([0, 1, 2]);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      tools.drawGround(view, wipe, programs);
      read(0, 0, ground.sunny); read(1, 1, ground.shaded); read(2, 2, ground.depth);
      var back = inverse(view), way = raster.way, w = picture.width, h = picture.height, place = ground.sunPlace;
      for (var y = 0, i = 0; y < h; y++) {
        for (var x = 0; x < w; x++, i++) {
          if (ground.depth[i] === 0) { ground.depth[i] = 1; place[3 * i] = Infinity; continue; } // the sky
          if (x + 0.5 < wipe) { place[3 * i] = Infinity; continue; } // the survey alone: no shadows of blocks
          var sx = 2 * (x + 0.5) / w - 1, sy = 1 - 2 * (y + 0.5) / h, sz = 2 * ground.depth[i] - 1, q = 1 / (back[3] * sx + back[7] * sy + back[11] * sz + back[15]);
          var X = (back[0] * sx + back[4] * sy + back[8] * sz + back[12]) * q, Y = (back[1] * sx + back[5] * sy + back[9] * sz + back[13]) * q, Z = (back[2] * sx + back[6] * sy + back[10] * sz + back[14]) * q;
          for (var k = 0; k < 3; k++) { place[3 * i + k] = way[k] * X + way[4 + k] * Y + way[8 + k] * Z; }
        }
      }
    }
    // The surveyed deposit, paths and sections, with the depths of what is nearest of them.
    function keepOver(view, wipe, ratio) {
      ground.overAt = [];
      if (!tools.hasOver()) { return; }
      aim([0]);
      gl.clear(gl.COLOR_BUFFER_BIT);
      tools.drawOver(view, wipe, ratio, null);
      read(0, 0, ground.over);
      aim([2]);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.depthFunc(gl.LEQUAL);
      tools.drawOver(view, wipe, ratio, deep);
      gl.depthFunc(gl.LESS);
      read(0, 2, ground.overDepth);
      for (var i = 0; i < ground.over.length; i++) { if (ground.over[i] !== 0) { ground.overAt.push(i); } }
    }
    function keep(view, wipe, ratio, look) {
      var key = [look, wipe, ratio].concat(Array.prototype.slice.call(view)).join();
      if (key === ground.key) { return; }
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.viewport(0, 0, picture.width, picture.height);
      gl.clearColor(0, 0, 0, 0);
      keepGround(view, wipe);
      keepOver(view, wipe, ratio);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      ground.key = key;
    }
    // Colours of WebGL are multiplied by their share already.
    function layOver() {
      for (var n = 0; n < ground.overAt.length; n++) {
        var i = ground.overAt[n], top = ground.over[i], under = picture.colour[i], rest = 255 - (top >>> 24), out = 0xff000000;
        if (ground.overDepth[i] > picture.depth[i]) { continue; }
        for (var k = 0; k < 24; k += 8) { out |= Math.min(255, (top >> k & 255) + ((under >> k & 255) * rest >> 8)) << k; }
        picture.colour[i] = out >>> 0;
      }
    }
    return {
      // The blocks moved.
      takePose: function () { raster.place(pose); raster.castShadows(pose); },
      // `wipe` is a share of the width, `look` changes with everything else that stands still.
      draw: function (view, eye, wipe, ratio, width, height, look) {
        if (picture.width !== width || picture.height !== height) { resize(width, height); }
        keep(view, wipe >= 0 ? wipe * width : -1, ratio, look);
        picture.colour.set(ground.sunny);
        picture.depth.set(ground.depth);
        raster.shadeGround(picture, ground);
        raster.drawBlocks(pose, picture, view, eye, wipe >= 0 ? Math.round(wipe * width) : 0);
        layOver();
        context.putImageData(image, 0, 0);
      }
    };
  };
})();
