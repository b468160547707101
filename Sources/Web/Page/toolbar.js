// The buttons of the header: what concerns all exchanges.

import { json } from './api.js';
import { compareMarked, openClear, openColumns, openCompare, openComposer, openExport, openHelp, openImport } from './doors.js';
import { button, el } from './dom.js';
import { icon, iconButton } from './icons.js';
import { menuButton } from './menu.js';
import { notifyProblem } from './notices.js';
import { state } from './state.js';

export function toolButtons(page) {
  return el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Tools' },
    followButton(), recordingButton(), page.holds.button(),
    iconButton('plus', 'New request', () => openComposer(null), { class: 'icon spare', title: 'New request (n)' }),
    menuButton('More', () => moreItems(page), { content: icon('more'), class: 'icon', title: 'More' }),
    iconButton('help', 'Help', () => openHelp(), { class: 'icon spare', title: 'Keys and signs (?)' }));
}

function moreItems(page) {
  const { status } = state;
  const canImport = status ? status.imports_at_most !== null && !status.read_only : false;
  return [
    { text: 'New request', icon: 'plus', key: 'n', run: () => openComposer(null) },
    null,
    { text: 'Compare marked', icon: 'compare', key: 'D', run: () => compareMarked(page.list.selectedRow) },
    { text: 'Compare two sets', key: 'V', run: () => openCompare() },
    null,
    { text: 'Import…', icon: 'import', run: () => openImport(), isDisabled: !canImport },
    { text: 'Export…', icon: 'export', key: 'X', run: () => openExport() },
    null,
    { text: 'Columns…', icon: 'columns', key: 'C', run: () => openColumns(page) },
    { text: 'Delete…', icon: 'trash', key: 'z', isDangerous: true, run: () => openClear(page) },
    null,
    { text: 'Keys and signs', icon: 'help', key: '?', run: () => openHelp() },
  ];
}

function labelled(name, text) {
  return [icon(name), el('span', { class: 'label' }, text)];
}

function followButton() {
  const follow = button(labelled('follow', 'Follow'), () => state.set('isFollowing', !state.isFollowing), {
    'aria-label': 'Follow', title: 'Stay at the newest exchange (F)',
  });
  const mark = () => follow.setAttribute('aria-pressed', String(state.isFollowing));
  state.on('isFollowing', mark);
  mark();
  return follow;
}

/// Pauses and resumes recording; traffic still passes.
function recordingButton() {
  const run = async () => {
    try {
      state.set('status', await json('/recording', { method: 'POST', body: { on: !state.status.recording } }));
    } catch (problem) {
      notifyProblem(problem);
    }
  };
  const record = button(labelled('record', 'Record'), run, {
    class: 'record', hidden: true, 'aria-label': 'Record', title: 'Record exchanges; traffic passes in any case',
  });
  state.on('status', () => {
    record.hidden = typeof state.status.recording !== 'boolean' || state.status.read_only === true;
    record.disabled = !state.status.daemon;
    record.setAttribute('aria-pressed', String(state.status.recording === true));
  });
  return record;
}
