// The keys and signs, as a dialog.

import { openDialog } from './dialog.js';
import { el } from './dom.js';
import { KEYS } from './key-table.js';

const SIGNS = [
  ['●', 'marked'], ['⚲', 'pinned: it is not deleted to make room'], ['+', 'has a note or tags'],
  ['↺', 'a replay'], ['≠', 'a rule applied'], ['✕', 'failed'], ['!', 'client error'],
  ['‼', 'server error'], ['→', 'redirection'], ['…', 'still active'],
];

const MORE = 'Control and click marks a row, Shift and click marks up to it. In headings, Alt with ← and → changes the width. ' +
  'In a JSON tree, arrows fold and unfold, and c copies.';

const NAMES = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space' };

export function openHelp() {
  const keys = KEYS.map((entry) => [entry.shown ?? entry.keys.map((key) => NAMES[key] ?? key).join('  '), entry.text]);
  openDialog('Keys and signs', [
    el('div', { class: 'help-place', tabIndex: 0, autofocus: true, role: 'group', 'aria-label': 'All keys and signs' },
      el('div', { class: 'help' }, table('Keys', keys), table('Signs', SIGNS)), el('p', { class: 'dim' }, MORE)),
  ], [], { isWide: true });
}

function table(title, pairs) {
  const rows = pairs.map(([key, text]) => el('tr', {}, el('th', { scope: 'row' }, el('kbd', {}, key)), el('td', {}, text)));
  return el('table', { 'aria-label': title }, el('caption', {}, title), el('tbody', {}, rows));
}
