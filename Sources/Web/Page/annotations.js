// Notes, tags and pins, which are stored, so that all viewers see them.

import { exchangePath, json } from './api.js';
import { openDialog, field } from './dialog.js';
import { button, el } from './dom.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

/// Changes an exchange; the notice can undo it.
async function annotate(row, change, words) {
  const before = Object.fromEntries(Object.keys(change).map((key) => [key, row[key]]));
  const patch = (body) => json(exchangePath(row.id), { method: 'PATCH', body });
  try {
    await patch(change);
    state.tell('change', {});
    const undo = () => patch(before).then(() => state.tell('change', {}), notifyProblem);
    notify(words, { undo });
  } catch (problem) {
    notifyProblem(problem);
  }
}

export function togglePin(row) {
  return annotate(row, { pinned: !row.pinned }, row.pinned ? 'Not pinned any more' : 'Pinned');
}

export function editNote(row) {
  const input = el('textarea', { rows: 4, value: row.note ?? '' });
  ask(`Note on ${row.id}`, input, 'Note', '', () => {
    annotate(row, { note: input.value.trim() || null }, input.value.trim() ? 'Note saved' : 'Note removed');
  });
}

export function editTags(row) {
  const input = el('input', { type: 'text', value: (row.tags ?? []).join(' ') });
  ask(`Tags of ${row.id}`, input, 'Tags', 'Separated by spaces', () => {
    annotate(row, { tags: input.value.split(/[\s,]+/).filter(Boolean) }, 'Tags saved');
  });
}

function ask(title, input, label, hint, save) {
  const before = input.value;
  const run = () => {
    dialog.close();
    save();
  };
  const dialog = openDialog(title, [field(label, input, hint)], [button('Save', run, { class: 'primary' })], {
    hasDraft: () => input.value !== before,
  });
  dialog.element.addEventListener('keydown', (event) => {
    const isSubmit = event.key === 'Enter' && (event.ctrlKey || event.metaKey || event.target.tagName === 'INPUT');
    if (!isSubmit) return;
    event.preventDefault();
    run();
  });
}
