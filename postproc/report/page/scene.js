// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of the replay: ground, blocks, shadows, surveyed deposit and paths, drawn by WebGL 2.
// The blocks lie in one buffer; a picture moves them by a small texture of places and turns.
(function () {
  'use strict';
  var talus = window.talus;

  function compile(gl, pair, names) {
    var program = gl.createProgram();
    [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach(function (kind, i) {
      var shader = gl.createShader(kind);
      gl.shaderSource(shader, pair[i]);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) { console.error(gl.getShaderInfoLog(shader)); }
    });
    names.forEach(function (name, i) { gl.bindAttribLocation(program, i, name); });
    gl.linkProgram(program);
    var out = { program: program }, count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (var i = 0; i < count; i++) {
      var name = gl.getActiveUniform(program, i).name;
      out[name] = gl.getUniformLocation(program, name);
    }
    return out;
  }
  function multiply(a, b) {
    var out = new Float32Array(16);
    for (var c = 0; c < 4; c++) {
      for (var r = 0; r < 4; r++) {
        out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
      }
    }
    return out;
  }
  function unit(v) { var n = Math.hypot(v[0], v[1], v[2]) || 1; return [v[0] / n, v[1] / n, v[2] / n]; }
  function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]; }
  function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  talus.vector = { unit: unit, cross: cross, dot: dot, multiply: multiply };

  // Rows of the axes of one who looks along -back, and where he stands.
  function lookFrom(eye, back, up) {
    var right = unit(cross(up, back)), top = cross(back, right);
    return new Float32Array([right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0,
      -dot(right, eye), -dot(top, eye), -dot(back, eye), 1]);
  }
  talus.lookFrom = lookFrom;

  // Faces as fans around their centres: the fourth number is the distance from the rim of the face.
  function blockBuffers(shape) {
    var faces = shape.cornerStart.length - 1, corners = shape.corner.length, points = corners + faces;
    var place = new Float32Array(4 * points), normal = new Int8Array(4 * points), owner = new Float32Array(points);
    var fan = new Uint32Array(3 * corners), plain = new Uint32Array(3 * corners), fans = 0, plains = 0, at = 0;
    for (var b = 0; b + 1 < shape.faceStart.length; b++) {
      for (var f = shape.faceStart[b]; f < shape.faceStart[b + 1]; f++) {
        var first = at, c0 = shape.cornerStart[f], n = shape.cornerStart[f + 1] - c0, mid = [0, 0, 0], i;
        for (i = 0; i < n; i++) {
          var v = 3 * (shape.vertexStart[b] + shape.corner[c0 + i]);
          for (var k = 0; k < 3; k++) { place[4 * at + k] = shape.vertex[v + k]; mid[k] += shape.vertex[v + k] / n; }
          at++;
        }
        place.set(mid, 4 * at);
        var rim = Infinity;
        for (i = 0; i < n; i++) {
          var p = 4 * (first + i), q = 4 * (first + (i + 1) % n);
          var along = [place[q] - place[p], place[q + 1] - place[p + 1], place[q + 2] - place[p + 2]];
          var aside = cross(along, [mid[0] - place[p], mid[1] - place[p + 1], mid[2] - place[p + 2]]);
          rim = Math.min(rim, Math.hypot(aside[0], aside[1], aside[2]) / (Math.hypot(along[0], along[1], along[2]) || 1));
          fan[fans++] = at; fan[fans++] = first + i; fan[fans++] = first + (i + 1) % n;
          if (i > 1) { plain[plains++] = first; plain[plains++] = first + i - 1; plain[plains++] = first + i; }
        }
        place[4 * at++ + 3] = rim;
        for (i = first; i < at; i++) {
          owner[i] = b;
          for (k = 0; k < 3; k++) { normal[4 * i + k] = Math.round(127 * shape.plane[4 * f + k]); }
        }
      }
    }
    return { place: place, normal: normal, owner: owner, fan: fan, plain: plain.subarray(0, plains) };
  }

  // Walls from the rim of the ground down to a level foot: edges that one triangle has alone.
  function groundSides(ground) {
    var seen = new Map(), place = ground.place, index = ground.index, walls = [], faces = [], foot = Infinity, i;
    for (i = 2; i < place.length; i += 3) { foot = Math.min(foot, place[i]); }
    for (i = 0; i < index.length; i++) {
      var a = index[i], b = index[i % 3 === 2 ? i - 2 : i + 1], key = Math.min(a, b) * place.length + Math.max(a, b);
      if (seen.has(key)) { seen.delete(key); } else { seen.set(key, [a, b]); }
    }
    foot -= 0.04 * Math.abs(place[0] - place[place.length - 3]) + 2;
    seen.forEach(function (edge) {
      var at = walls.length / 3;
      edge.forEach(function (node) {
        walls.push(place[3 * node], place[3 * node + 1], place[3 * node + 2], place[3 * node], place[3 * node + 1], foot);
      });
      faces.push(at, at + 1, at + 2, at + 2, at + 1, at + 3);
    });
    return { place: new Float32Array(walls), index: new Uint32Array(faces) };
  }

  // `look` holds what a user can choose; see replay.js. With `quickCanvas` there are quick pictures, too.
  talus.makeScene = function (canvas, data, look, software, quickCanvas) {
    var gl = canvas.getContext('webgl2', { antialias: !software, preserveDrawingBuffer: true, alpha: true });
    if (!gl) { return null; }
    var program = {};
    [['ground', ['place']], ['block', ['place', 'normal', 'block']], ['shade', ['place', 'normal', 'block']], ['skin', ['place']], ['side', ['place']], ['path', ['from', 'to', 'paint']]]
      .forEach(function (row) { program[row[0]] = compile(gl, talus.shaders[row[0]], row[1]); });

    function buffer(target, values) {
      var b = gl.createBuffer();
      gl.bindBuffer(target, b);
      gl.bufferData(target, values, gl.STATIC_DRAW);
      return b;
    }
    function mesh(place, index) {
      var vao = gl.createVertexArray();
      gl.bindVertexArray(vao);
      buffer(gl.ARRAY_BUFFER, place);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      buffer(gl.ELEMENT_ARRAY_BUFFER, index);
      return { vao: vao, count: index.length };
    }
    function texture(unitNumber, filter) {
      var t = gl.createTexture();
      gl.activeTexture(gl.TEXTURE0 + unitNumber);
      gl.bindTexture(gl.TEXTURE_2D, t);
      [[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]
        .forEach(function (p) { gl.texParameteri(gl.TEXTURE_2D, p[0], p[1]); });
      return t;
    }
    var RELIEF = 0, TINT = 1, PHOTO = 2, POSE = 3, SHADOW = 4;
    var ground = mesh(data.ground.place, data.ground.index), walls = groundSides(data.ground), sides = mesh(walls.place, walls.index);
    var skin = data.skin ? mesh(data.skin.place, data.skin.index) : null;
    var shapes = blockBuffers(data.shape), blocks = gl.createVertexArray();
    gl.bindVertexArray(blocks);
    buffer(gl.ARRAY_BUFFER, shapes.place);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    buffer(gl.ARRAY_BUFFER, shapes.normal);
    gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
    buffer(gl.ARRAY_BUFFER, shapes.owner);
    gl.enableVertexAttribArray(2); gl.vertexAttribPointer(2, 1, gl.FLOAT, false, 0, 0);
    var fan = buffer(gl.ELEMENT_ARRAY_BUFFER, shapes.fan), plain = buffer(gl.ELEMENT_ARRAY_BUFFER, shapes.plain);
    var fanCount = shapes.fan.length, plainCount = shapes.plain.length;
    shapes = null;

    var f = talus.fields;
    var relief = talus.light(f.byKey.bed);
    texture(RELIEF, gl.LINEAR);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, f.columns, f.rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, relief);
    texture(TINT, gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    texture(PHOTO, gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    texture(POSE, gl.NEAREST);
    var poseRows = Math.ceil(data.blockCount / 256), pose = new Float32Array(4 * 768 * poseRows);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 768, poseRows, 0, gl.RGBA, gl.FLOAT, pose);
    var side = software ? 512 : 2048, shadow = texture(SHADOW, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, side, side, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    var shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, shadow, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);

    var paths = { vao: gl.createVertexArray(), buffer: gl.createBuffer(), count: 0 };
    gl.bindVertexArray(paths.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, paths.buffer);
    for (var i = 0; i < 3; i++) {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 36, 12 * i);
      gl.vertexAttribDivisor(i, 1);
    }
    gl.bindVertexArray(null);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

    // The sun sees a box around the blocks, no more: the finer are their shadows.
    var sun = unit(talus.sun), shadowView = new Float32Array(16);
    function aimSun() {
      var way = lookFrom([0, 0, 0], sun, [0, 0, 1]), lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
      for (var b = 0; b < data.blockCount; b++) {
        var at = 12 * b, radius = pose[at + 3];
        for (var k = 0; k < 3; k++) {
          var s = way[k] * pose[at] + way[4 + k] * pose[at + 1] + way[8 + k] * pose[at + 2];
          lo[k] = Math.min(lo[k], s - radius); hi[k] = Math.max(hi[k], s + radius);
        }
      }
      for (k = 0; k < 3; k++) {
        var sign = k === 2 ? -1 : 1, size = Math.max(hi[k] - lo[k], 1e-3);
        for (var c = 0; c < 4; c++) { shadowView[4 * c + k] = sign * 2 / size * way[4 * c + k]; }
        shadowView[12 + k] = sign * -(hi[k] + lo[k]) / size;
      }
      shadowView[15] = 1;
    }
    function drawShadow() {
      aimSun();
      gl.bindFramebuffer(gl.FRAMEBUFFER, shadowFrame);
      gl.viewport(0, 0, side, side);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(program.shade.program);
      gl.uniform1i(program.shade.pose, POSE);
      gl.uniformMatrix4fv(program.shade.view, false, shadowView);
      gl.bindVertexArray(blocks);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, plain);
      gl.drawElements(gl.TRIANGLES, plainCount, gl.UNSIGNED_INT, 0);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }
    function use(p, view) {
      gl.useProgram(p.program);
      gl.uniformMatrix4fv(p.view, false, view);
      gl.uniform3fv(p.sunWay, sun);
      gl.uniform1i(p.relief, RELIEF);
      gl.uniform4fv(p.box, data.box);
      if (p.shadow) {
        gl.uniform1i(p.shadow, SHADOW);
        gl.uniformMatrix4fv(p.toShadow, false, shadowView);
        gl.uniform1i(p.soft, software ? 0 : 1);
        gl.uniform1f(p.texel, 0.8 / side);
      }
    }
    // `programs` may hold others than those of the canvas.
    function drawGround(view, wipe, programs) {
      var p = programs.ground;
      use(p, view);
      gl.uniform1f(p.wipe, wipe);
      gl.uniform1i(p.tint, TINT);
      gl.uniform1i(p.photo, PHOTO);
      gl.uniform1f(p.tintShare, look.tint ? 0.85 : 0);
      gl.uniform1f(p.photoShare, look.photo ? 1 : 0);
      gl.uniform1f(p.contour, look.contours ? look.contourStep : 0);
      gl.uniform1f(p.zero, data.zero);
      gl.uniform3fv(p.flatGround, look.flatGround);
      gl.uniform3fv(p.steepGround, look.steepGround);
      gl.bindVertexArray(ground.vao);
      gl.disable(gl.CULL_FACE);
      gl.drawElements(gl.TRIANGLES, ground.count, gl.UNSIGNED_INT, 0);
      use(programs.side, view);
      gl.bindVertexArray(sides.vao);
      gl.drawElements(gl.TRIANGLES, sides.count, gl.UNSIGNED_INT, 0);
      gl.enable(gl.CULL_FACE);
    }
    function drawBlocks(view, wipe) {
      var p = program.block;
      use(p, view);
      gl.uniform1i(p.pose, POSE);
      gl.uniform1f(p.wipe, wipe);
      gl.uniform1f(p.bevel, 0.09);
      gl.bindVertexArray(blocks);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, fan);
      gl.drawElements(gl.TRIANGLES, fanCount, gl.UNSIGNED_INT, 0);
    }
    function drawSkin(view, wipe, programs) {
      var p = programs.skin;
      use(p, view);
      gl.uniform1f(p.wipe, wipe);
      gl.uniform1f(p.opacity, wipe >= 0 ? 0.94 : 0.5);
      gl.bindVertexArray(skin.vao);
      if (programs === program) { gl.enable(gl.BLEND); }
      gl.disable(gl.CULL_FACE); gl.depthMask(wipe >= 0);
      gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(-2, -2);
      gl.drawElements(gl.TRIANGLES, skin.count, gl.UNSIGNED_INT, 0);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.disable(gl.BLEND); gl.enable(gl.CULL_FACE); gl.depthMask(true);
    }
    function drawPaths(view, ratio, programs) {
      var p = programs.path;
      gl.useProgram(p.program);
      gl.uniformMatrix4fv(p.view, false, view);
      gl.uniform2f(p.size, canvas.clientWidth * ratio, canvas.clientHeight * ratio);
      gl.uniform1f(p.width, (look.pathWidth || 2) * ratio);
      gl.bindVertexArray(paths.vao);
      gl.disable(gl.CULL_FACE);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, paths.count);
      gl.enable(gl.CULL_FACE);
    }
    function hasOver() { return paths.count > 0 || skin && look.survey; }
    function drawOver(view, wipe, ratio, programs) {
      if (paths.count > 0) { drawPaths(view, ratio, programs || program); }
      if (skin && look.survey) { drawSkin(view, wipe, programs || program); }
    }
    var quick = quickCanvas ? talus.makeQuick(quickCanvas, { gl: gl, compile: function (pair, names) { return compile(gl, pair, names); }, texture: texture,
      drawGround: drawGround, hasOver: hasOver, drawOver: drawOver }, data, pose, relief) : null, changes = 0;
    return {
      gl: gl, pose: pose, hasSkin: skin !== null, hasQuick: quick !== null,
      setTint: function (picture) {
        changes++;
        gl.activeTexture(gl.TEXTURE0 + TINT);
        gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
        gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
      },
      setPhoto: function (picture) {
        changes++;
        gl.activeTexture(gl.TEXTURE0 + PHOTO);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
      },
      // Nine numbers a piece: from, to, colour.
      setPaths: function (pieces) {
        changes++;
        paths.count = pieces.length / 9;
        gl.bindBuffer(gl.ARRAY_BUFFER, paths.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, pieces, gl.STATIC_DRAW);
      },
      // The blocks moved or changed colour: `pose` was filled anew.
      takePose: function () {
        gl.activeTexture(gl.TEXTURE0 + POSE);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 768, poseRows, gl.RGBA, gl.FLOAT, pose);
        drawShadow();
      },
      // `wipe`: left of it only the survey is drawn, right of it only the simulation; below 0 both.
      draw: function (view, wipe, ratio) {
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        drawBlocks(view, wipe);
        drawGround(view, wipe, program);
        drawOver(view, wipe, ratio, program);
      },
      // The same on the other canvas, for a moment: `wipe` here as a share, the blocks as `pose` has them.
      takeQuickPose: function () { quick.takePose(); },
      drawQuick: function (view, eye, wipe, ratio) {
        quick.draw(view, eye, wipe, ratio, Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio),
          [look.tint, look.photo, look.contours, look.survey, look.pathWidth, changes]);
      }
    };
  };
})();
