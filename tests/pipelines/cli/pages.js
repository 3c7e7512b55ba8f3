// SPDX-License-Identifier: GPL-3.0-or-later
// Presses what can be pressed on a page of a study, shown in the frame of this one, and writes what it saw into
// attributes of <html>: data-NAME. Included by the pages that pages.sh and compare.sh write; or, without a frame, by
// the page itself.
(function () {
  'use strict';
  var root = document.documentElement, frame = document.getElementById('page') || { contentDocument: document, contentWindow: window };
  // A browser that runs ahead of the clock does not animate pages with frames.
  if (frame.contentWindow === window) { window.requestAnimationFrame = function (work) { return setTimeout(function () { work(performance.now()); }, 16); }; }
  function note(name, value) { root.setAttribute('data-' + name, String(value)); }
  function all(selector) { return Array.prototype.slice.call(frame.contentDocument.querySelectorAll(selector)); }
  function later(wait, work) { setTimeout(work, wait); }

  function nameOf(node) {
    var image = node.querySelector ? node.querySelector('img[alt]') : null;
    return node.getAttribute('aria-label') || node.textContent.trim() || node.title || image && image.alt || node.labels && node.labels.length > 0 && node.labels[0].textContent.trim();
  }
  // The cells of a column as numbers where all of them are, else as they are.
  function column(table, index) {
    return Array.prototype.map.call(table.tBodies[0].rows, function (row) {
      var cell = row.cells[index], text = cell ? cell.textContent.trim().replace(/[\u202f\u00a0 ]/g, '').replace('\u2212', '-') : '';
      return /^[-+]?[0-9.]/.test(text) ? parseFloat(text) : text;
    });
  }
  function isSorted(values, sign) {
    var numbers = values.filter(function (v) { return typeof v === 'number'; });
    return numbers.every(function (v, i) { return i === 0 || sign * (v - numbers[i - 1]) >= 0; });
  }
  function sorts() {
    var wrong = [], heads = 0;
    all('table.sortable').forEach(function (table) {
      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, index) {
        var button = head.querySelector('button');
        if (!button) { return; }
        heads++;
        button.click();
        var up = column(table, index), said = head.getAttribute('aria-sort');
        button.click();
        var down = column(table, index);
        if (!isSorted(up, 1) || !isSorted(down, -1) || said !== 'ascending' || head.getAttribute('aria-sort') !== 'descending') { wrong.push(button.textContent); }
      });
    });
    note('heads', heads);
    note('sorts', wrong.length === 0 ? 'yes' : wrong.join());
  }
  function lights() {
    var points = all('[data-point]'), wrong = 0, window2 = frame.contentWindow;
    points.forEach(function (node) {
      node.dispatchEvent(new window2.PointerEvent('pointerover', { bubbles: true }));
      var lit = all('.lit');
      if (lit.length === 0 || !lit.every(function (one) { return one.getAttribute('data-point') === node.getAttribute('data-point'); })) { wrong++; }
    });
    var focused = points.filter(function (node) { return node.tabIndex >= 0; }), read = frame.contentDocument.getElementById('study-read');
    focused.forEach(function (node) {
      node.dispatchEvent(new window2.FocusEvent('focusin', { bubbles: true }));
      if (read && read.textContent !== (node.getAttribute('aria-label') || read.textContent)) { wrong++; }
    });
    note('points', points.length);
    note('reachable', focused.length);
    note('lights', wrong === 0 ? 'yes' : wrong);
  }
  function compares(done) {
    var d = frame.contentDocument, a = d.getElementById('compare-a'), b = d.getElementById('compare-b'), slider = d.getElementById('compare-time'), clock = d.getElementById('compare-clock');
    var play = d.getElementById('compare-play'), replay = ['a', 'b'].map(function (name) { return d.getElementById('compare-frame-' + name).contentWindow.talus.replay; });
    // Both are seen from one place, and the bar is as long as it says.
    var first = replay.map(function (r) { return [r.camera.azimuth, r.camera.distance].concat(r.camera.target).map(function (v) { return v.toFixed(3); }).join(); });
    note('start', first[0] === first[1] ? 'alike' : first.join(' '));
    var map = d.getElementById('compare-map'), bar = d.getElementById('compare-scale'), cell = d.getElementById('compare-frame-a').contentWindow.talus.fields.cell;
    note('bar', Math.abs(bar.getBoundingClientRect().width / map.getBoundingClientRect().width * map.width * cell / parseFloat(bar.textContent) - 1) < 0.02 ? 'right' : bar.textContent);
    slider.value = slider.max / 2; slider.dispatchEvent(new Event('input'));
    later(300, function () {
      note('step', Math.abs(replay[0].motion.now - slider.value) < 1e-3 && Math.abs(replay[1].motion.now - slider.value) < 1e-3 && clock.textContent.indexOf((+slider.value).toFixed(1)) === 0 ? 'keeps' : replay[0].motion.now + ' ' + replay[1].motion.now);
      replay[0].camera.turn(0.5, 0);
      later(500, function () {
        note('turn', Math.abs(replay[0].camera.azimuth - replay[1].camera.azimuth) < 1e-6 ? 'follows' : 'dead');
        slider.value = 0; slider.dispatchEvent(new Event('input'));
        play.click();
        var pressed = play.getAttribute('aria-pressed');
        later(2500, function () {
          note('play', pressed === 'true' && replay[0].motion.now > 0 && replay[1].motion.now > 0 ? 'plays' : 'dead');
          play.click();
          var most = d.documentElement.getAttribute('data-compare-most'), title = d.getElementById('compare-frame-b').title;
          b.selectedIndex = a.selectedIndex; b.dispatchEvent(new Event('change'));
          later(3000, function () {
            note('choice', title !== d.getElementById('compare-frame-b').title && most !== '0' && d.documentElement.getAttribute('data-compare-most') === '0' ? 'changes' : 'dead');
            done();
          });
        });
      });
    });
  }
  function end() {
    note('requests', frame.contentWindow.performance.getEntriesByType('resource').filter(function (e) { return !/^(data|blob|file):/.test(e.name); }).length);
    note('done', 'yes');
  }
  window.addEventListener('load', function () {
    later(root.dataset.wait || 500, function () {
      var page = frame.contentDocument.documentElement;
      all('details').forEach(function (node) {
        var was = node.offsetHeight;
        node.querySelector('summary').click();
        node.open = true;
        if (node.offsetHeight <= was) { note('shut', 'yes'); }
      });
      note('wide', page.scrollWidth > page.clientWidth ? page.scrollWidth : 'no');
      note('dark', frame.contentWindow.matchMedia('(prefers-color-scheme: dark)').matches ? 'yes' : 'no');
      note('unnamed', all('button, select, input, iframe, summary, a[href], [tabindex]').filter(function (node) { return !nameOf(node); }).map(function (node) { return node.outerHTML.slice(0, 80); }).join() || 'none');
      sorts();
      lights();
      if (frame.contentDocument.getElementById('compare-a')) { compares(end); } else { end(); }
    });
  });
})();
