// The keys and signs, as a dialog.

import { openDialog } from './dialog.js';
import { el } from './dom.js';
import { icon } from './icons.js';
import { KEY_GROUPS } from './key-table.js';

const outcome = (kind) => el('span', { class: `chip-sign ${kind}` });

const SIGNS = [
  [() => el('span', { class: 'mark-sign' }), 'Marked'],
  [() => icon('pin', 14), 'Pinned: it is not deleted to make room'],
  [() => icon('note', 14), 'Has a note'],
  [() => icon('tag', 14), 'Has tags'],
  [() => icon('replay', 14), 'Was sent again'],
  [() => icon('rewrite', 14), 'A rule applied'],
  [() => outcome('redirect'), 'Redirection'],
  [() => outcome('client'), 'Client error'],
  [() => outcome('server'), 'Server error'],
  [() => outcome('failed'), 'Failed'],
  [() => outcome('active'), 'Still active'],
];

const MORE = 'Control and click marks a row, Shift and click marks up to it. A right click or a long press opens the menu of a row or a value. ' +
  'In headings, Alt with ← and → changes the width. In a JSON tree, arrows fold and unfold, and c copies.';

const NAMES = { ArrowDown: '↓', ArrowUp: '↑', ' ': 'Space' };

export function openHelp() {
  const groups = KEY_GROUPS.map(({ title, keys }) => table(title, keys.map((entry) => [
    el('th', { scope: 'row' }, keysOf(entry)), el('td', {}, entry.text),
  ])));
  const signs = table('Signs', SIGNS.map(([draw, text]) => [
    el('td', {}, el('span', { class: 'sign', 'aria-hidden': 'true' }, draw())), el('td', {}, text),
  ]));
  openDialog('Keys and signs', [
    el('div', { class: 'help-place', tabIndex: 0, autofocus: true, role: 'group', 'aria-label': 'All keys and signs' },
      el('div', { class: 'help' }, groups, signs), el('p', { class: 'dim' }, MORE)),
  ], [], { isWide: true });
}

function keysOf(entry) {
  return (entry.shown ?? entry.keys).map((key) => el(key === '…' ? 'span' : 'kbd', {}, NAMES[key] ?? key));
}

function table(title, rows) {
  return el('table', { 'aria-label': title }, el('caption', {}, title), el('tbody', {}, rows.map((cells) => el('tr', {}, cells))));
}
