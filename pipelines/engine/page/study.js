// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of studies: tables that sort by a click on a head, and points that light up in every plot.
(function () {
  'use strict';
  function numberOf(cell) {
    var text = cell ? cell.textContent.replace(/[\u202f\u00a0 ]/g, '').replace('\u2212', '-') : '', value = parseFloat(text);
    return isFinite(value) ? value : null;
  }
  function sortBy(table, column, down) {
    var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows), sign = down ? -1 : 1;
    rows.sort(function (a, b) {
      var x = numberOf(a.cells[column]), y = numberOf(b.cells[column]);
      if (x !== null && y !== null) { return sign * (x - y); }
      if ((x === null) !== (y === null)) { return x === null ? 1 : -1; } // what has no number comes last
      return sign * (a.cells[column] ? a.cells[column].textContent : '').localeCompare(b.cells[column] ? b.cells[column].textContent : '');
    });
    rows.forEach(function (row) { body.appendChild(row); });
  }
  document.querySelectorAll('table.sortable').forEach(function (table) {
    var heads = table.tHead ? table.tHead.rows[0].cells : [];
    Array.prototype.forEach.call(heads, function (head, column) {
      if (!head.textContent) { return; }
      var button = document.createElement('button');
      button.type = 'button'; button.className = 'head'; button.textContent = head.textContent;
      head.textContent = ''; head.appendChild(button);
      button.addEventListener('click', function () {
        var down = head.getAttribute('aria-sort') === 'ascending';
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        sortBy(table, column, down);
      });
    });
  });
  var read = document.getElementById('study-read'), lit = [];
  function light(number) {
    lit.forEach(function (node) { node.classList.remove('lit'); });
    lit = number === null ? [] : Array.prototype.slice.call(document.querySelectorAll('[data-point="' + number + '"]'));
    lit.forEach(function (node) { node.classList.add('lit'); });
    var told = lit.filter(function (node) { return node.getAttribute('aria-label'); })[0];
    if (read && told) { read.textContent = told.getAttribute('aria-label'); }
  }
  ['pointerover', 'focusin'].forEach(function (name) {
    document.addEventListener(name, function (e) {
      var node = e.target.closest ? e.target.closest('[data-point]') : null;
      if (node) { light(node.getAttribute('data-point')); }
    });
  });
})();
