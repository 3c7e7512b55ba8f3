// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what goes wrong on the page, for the browser test; runs before everything else.
(function () {
  'use strict';
  var root = document.documentElement, errors = 0;
  function count() { errors++; root.setAttribute('data-console-errors', String(errors)); }
  root.setAttribute('data-console-errors', '0');
  window.addEventListener('error', count);
  window.addEventListener('unhandledrejection', count);
  ['error', 'warn'].forEach(function (name) {
    var old = console[name];
    console[name] = function () { count(); old.apply(console, arguments); };
  });
  // #width: whether the page is wider than the screen.
  if (/[#&]width\b/.test(location.hash)) {
    window.addEventListener('load', function () {
      root.setAttribute('data-overflow', root.scrollWidth > root.clientWidth ? 'yes' : 'no');
    });
  }
})();
