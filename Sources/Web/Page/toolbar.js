// The buttons of the header: what concerns all exchanges.

import { compareMarked, openClear, openColumns, openCompare, openComposer, openExport, openHelp } from './doors.js';
import { button, el } from './dom.js';
import { menuButton } from './menu.js';
import { notifyProblem } from './notices.js';
import { json } from './api.js';
import { state } from './state.js';

export function toolButtons(page) {
  const follow = button('Follow', () => state.set('isFollowing', !state.isFollowing), { title: 'Stay at the newest exchange (F)' });
  const mark = () => follow.setAttribute('aria-pressed', String(state.isFollowing));
  state.on('isFollowing', mark);
  mark();
  return el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Tools' }, follow, recordingButton(), page.holds.button(),
    menuButton('More', [
      { text: 'New request', run: () => openComposer(null) },
      { text: 'Compare marked', run: () => compareMarked(page.list.selectedRow) },
      { text: 'Compare two sets', run: () => openCompare() },
      { text: 'Columns', run: () => openColumns(page) },
      { text: 'Export', run: () => openExport() },
      { text: 'Clear', run: () => openClear(page) },
    ]),
    button('Help', () => openHelp(), { title: 'Keys (?)' }));
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
  const record = button('Record', run, { hidden: true, title: 'Record exchanges; traffic passes in any case' });
  state.on('status', () => {
    record.hidden = typeof state.status.recording !== 'boolean' || state.status.read_only === true;
    record.disabled = !state.status.daemon;
    record.setAttribute('aria-pressed', String(state.status.recording === true));
  });
  return record;
}
