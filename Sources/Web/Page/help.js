// The keys and signs, as a dialog.

import { openDialog } from './dialog.js';
import { el } from './dom.js';

const SIGNS = [
  ['●', 'marked'], ['⚲', 'pinned: it is not deleted to make room'], ['+', 'has a note or tags'],
  ['↺', 'a replay'], ['≠', 'a rule applied'], ['✕', 'failed'], ['!', 'client error'],
  ['‼', 'server error'], ['→', 'redirection'], ['…', 'still active'],
];

const NAMES = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space' };

export async function openHelp() {
  const { KEYS } = await import('./keys.js');
  const keys = KEYS.map((entry) => [entry.shown ?? entry.keys.map((key) => NAMES[key] ?? key).join('  '), entry.text]);
  openDialog('Keys and signs', [
    el('div', { class: 'help' }, table('Keys', keys), table('Signs', SIGNS)),
    el('p', { class: 'dim' }, 'Control and click marks a row, Shift and click marks up to it. In headings, Alt with ← and → changes the width.'),
  ], [], { isWide: true });
}

function table(title, pairs) {
  const rows = pairs.map(([key, text]) => el('tr', {}, el('th', { scope: 'row' }, el('kbd', {}, key)), el('td', {}, text)));
  return el('table', { 'aria-label': title }, el('caption', {}, title), el('tbody', {}, rows));
}
