// SPDX-License-Identifier: GPL-3.0-or-later
// What the graphics card runs for the replay. x is east, y north, z up; colours are linear inside.
(function () {
  'use strict';
  var HEAD = '#version 300 es\nprecision highp float;\n';
  // Where a block is, how it is turned and what colour it has: three texels a block.
  var POSE = 'uniform highp sampler2D pose;\n' +
    'vec4 part(int block, int i) { return texelFetch(pose, ivec2(3 * (block & 255) + i, block >> 8), 0); }\n' +
    'vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }\n';
  // Shadow of the blocks: 1 in the sun. `soft` looks are taken around the point.
  var SHADOW = 'uniform mediump sampler2DShadow shadow; uniform mat4 toShadow; uniform int soft; uniform float texel;\n' +
    'float inSun(vec3 p, float lift) {\n' +
    '  vec3 s = (toShadow * vec4(p, 1.0)).xyz * 0.5 + 0.5;\n' +
    '  if (any(lessThan(s.xy, vec2(0.0))) || any(greaterThan(s.xy, vec2(1.0)))) { return 1.0; }\n' +
    '  s.z = min(s.z - lift, 0.99999);\n' +
    '  if (soft == 0) { return texture(shadow, s); }\n' +
    '  float sum = 0.0;\n' +
    '  for (int i = 0; i < 4; i++) { sum += texture(shadow, s + vec3(float(i & 1) * 2.0 - 1.0, float(i >> 1) * 2.0 - 1.0, 0.0) * vec3(texel, texel, 0.0)); }\n' +
    '  return 0.25 * sum;\n}\n';
  var colours = window.talus.lightColours = { sun: [1.62, 1.5, 1.3], sky: [0.56, 0.62, 0.72], bounce: [0.34, 0.31, 0.27] };
  function vec3(v) { return 'vec3(' + v.map(function (x) { return x.toFixed(4); }).join() + ')'; }
  // THREE, for the ground that quick.js keeps: in the sun, in the shadow of a block, and its depth. DEEP: its depth alone.
  var LIGHT = 'uniform vec3 sunWay;\n#ifdef THREE\nlayout(location = 0) out vec4 seen; layout(location = 1) out vec4 shaded; layout(location = 2) out vec4 depth;\n#else\nout vec4 seen;\n#endif\n' +
    'const vec3 SUN = ' + vec3(colours.sun) + ', SKY = ' + vec3(colours.sky) + ', BOUNCE = ' + vec3(colours.bounce) + ';\n' +
    'vec3 lit(vec3 albedo, vec3 n, float open, float sun) {\n' +
    '  return albedo * (mix(BOUNCE, SKY, 0.5 + 0.5 * n.z) * open + SUN * sun * max(dot(n, sunWay), 0.0));\n}\n' +
    'vec4 film(vec3 c, float alpha) { c = c / (1.0 + 0.22 * c); return vec4(sqrt(c) * alpha, alpha); }\n';
  window.talus.shaders = {
    ground: [HEAD + 'in vec3 place; uniform mat4 view; uniform vec4 box; out vec3 at; out vec2 uv;\n' +
      'void main() { at = place; uv = vec2(place.x - box.x, box.w - place.y) / vec2(box.z - box.x, box.w - box.y); gl_Position = view * vec4(place, 1.0); }\n',
    HEAD + SHADOW + LIGHT + 'in vec3 at; in vec2 uv;\n' +
      'uniform sampler2D relief, tint, photo; uniform float tintShare, photoShare, contour, zero, wipe;\n' +
      'uniform vec3 flatGround, steepGround;\n' +
      'void main() {\n' +
      '  vec4 r = texture(relief, uv);\n' +
      '  vec2 slope = r.xy * 2.0 - 1.0;\n' +
      '  vec3 n = vec3(slope, sqrt(max(0.02, 1.0 - dot(slope, slope))));\n' +
      '  vec3 albedo = mix(steepGround, flatGround, smoothstep(0.62, 0.93, n.z));\n' +
      '  if (photoShare > 0.0) { vec4 p = texture(photo, uv); albedo = mix(albedo, p.rgb * p.rgb, photoShare * p.a); }\n' +
      '  if (tintShare > 0.0) { vec4 t = texture(tint, uv); vec3 c = t.rgb / max(t.a, 0.01); albedo = mix(albedo, 0.85 * c * c, tintShare * t.a); }\n' +
      '  float line = 0.0;\n' +
      '  if (contour > 0.0) {\n' +
      '    float z = (at.z + zero) / contour, w = fwidth(z), d = abs(fract(z - 0.5) - 0.5), major = mod(floor(z + 0.5), 5.0) < 0.5 ? 1.0 : 0.0;\n' +
      '    line = (1.0 - smoothstep(0.6 + 0.5 * major, 1.3 + 0.7 * major, d / w)) * (1.0 - smoothstep(0.15, 0.4, w)) * (0.42 + 0.3 * major);\n' +
      '  }\n' +
      '  vec3 ink = vec3(0.09, 0.055, 0.03);\n' +
      '#ifdef THREE\n' +
      '  seen = film(mix(lit(albedo, n, r.z, r.w), ink, line), 1.0); depth = vec4(gl_FragCoord.z);\n' +
      '  shaded = film(mix(lit(albedo, n, r.z, 0.0), ink, line), 1.0);\n' +
      '#else\n' +
      '  float sun = gl_FragCoord.x < wipe ? r.w : r.w * inSun(at, 0.002);\n' +
      '  seen = film(mix(lit(albedo, n, r.z, sun), ink, line), 1.0);\n' +
      '#endif\n}\n'],
    block: [HEAD + POSE + 'in vec4 place; in vec3 normal; in float block; uniform mat4 view;\n' +
      'out vec3 at, way, outward; out float edge; flat out vec4 paint;\n' +
      'void main() {\n' +
      '  int b = int(block); vec4 c = part(b, 0), q = part(b, 1); paint = part(b, 2);\n' +
      '  vec3 v = turned(q, place.xyz);\n' +
      '  at = c.xyz + v; way = turned(q, normal); outward = v / c.w; edge = place.w;\n' +
      '  gl_Position = view * vec4(at, 1.0);\n}\n',
    HEAD + SHADOW + LIGHT + 'in vec3 at, way, outward; in float edge; flat in vec4 paint;\n' +
      'uniform float wipe, bevel; uniform sampler2D relief; uniform vec4 box;\n' +
      'void main() {\n' +
      '  if (gl_FragCoord.x < wipe) { discard; }\n' +
      '  float rim = 1.0 - smoothstep(0.0, bevel * paint.w, edge);\n' +
      '  vec3 n = normalize(way + 0.75 * rim * outward);\n' +
      '  vec4 r = texture(relief, vec2(at.x - box.x, box.w - at.y) / vec2(box.z - box.x, box.w - box.y));\n' +
      '  float low = clamp(0.5 + 0.5 * outward.z, 0.0, 1.0);\n' +
      '  seen = film(lit(paint.rgb * (1.0 + 0.25 * rim), n, 0.45 + 0.55 * low, r.w * inSun(at + 0.02 * paint.w * way, 0.003)), 1.0);\n}\n'],
    shade: [HEAD + POSE + 'in vec4 place; in float block; uniform mat4 view;\n' +
      'void main() { int b = int(block); gl_Position = view * vec4(part(b, 0).xyz + turned(part(b, 1), place.xyz), 1.0); }\n',
    HEAD + 'void main() {}\n'],
    skin: [HEAD + 'in vec3 place; uniform mat4 view; out vec3 at; void main() { at = place; gl_Position = view * vec4(place, 1.0); }\n',
      HEAD + LIGHT + 'in vec3 at; uniform float wipe, opacity;\n' +
      'void main() {\n' +
      '  if (wipe >= 0.0 && gl_FragCoord.x > wipe) { discard; }\n' +
      '  vec3 n = normalize(cross(dFdx(at), dFdy(at))); n *= sign(n.z);\n' +
      '  seen = film(lit(vec3(0.02, 0.19, 0.50), n, 1.0, 1.0), opacity);\n' +
      '#ifdef DEEP\n  seen = vec4(gl_FragCoord.z);\n#endif\n}\n'],
    // The cut sides of the ground, as of a block of earth on a table.
    side: [HEAD + 'in vec3 place; uniform mat4 view; out vec3 at; void main() { at = place; gl_Position = view * vec4(place, 1.0); }\n',
      HEAD + LIGHT + 'in vec3 at;\n' +
      'void main() {\n' +
      '  vec3 n = normalize(cross(dFdx(at), dFdy(at)));\n' +
      '  vec3 albedo = vec3(0.62, 0.59, 0.53);\n' +
      '  seen = film(lit(albedo, vec3(n.xy, 0.0), 0.9, 0.6), 1.0);\n' +
      '#ifdef THREE\n  shaded = seen; depth = vec4(gl_FragCoord.z);\n#endif\n}\n'],
    // A piece of a path: a strip of a few pixels between two points.
    path: [HEAD + 'in vec3 from, to; in vec3 paint; uniform mat4 view; uniform vec2 size; uniform float width; out vec3 colour;\n' +
      'void main() {\n' +
      '  vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);\n' +
      '  vec2 d = (b.xy / b.w - a.xy / a.w) * size, n = length(d) > 0.0 ? normalize(vec2(-d.y, d.x)) : vec2(0.0);\n' +
      '  int k = gl_VertexID; vec4 p = (k & 1) == 0 ? a : b; float side = (k & 2) == 0 ? -1.0 : 1.0;\n' +
      '  p.xy += side * n * width / size * p.w; p.z -= 0.0004 * p.w; colour = paint; gl_Position = p;\n}\n',
    HEAD + 'in vec3 colour; out vec4 seen;\nvoid main() {\n  seen = vec4(colour, 1.0);\n#ifdef DEEP\n  seen = vec4(gl_FragCoord.z);\n#endif\n}\n']
  };
})();
