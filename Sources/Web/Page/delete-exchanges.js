// Deletes an exchange, or all marked ones, after a question.

import { json } from './api.js';
import { openDialog } from './dialog.js';
import { button, el } from './dom.js';
import { counted } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

/// The most exchanges that one filter names.
const NAMED_MAX = 100;

/// Deletes the marked exchanges if this is one of them, otherwise this one.
export function deleteExchanges(row) {
  const ids = state.marks.has(row.id) ? [...state.marks] : [row.id];
  const what = ids.length === 1 ? `exchange ${ids[0]}` : `the ${counted(ids.length, 'marked exchange')}`;
  const remove = async () => {
    dialog.close();
    try {
      const deleted = await removed(ids);
      if (ids.includes(state.openId)) state.set('openId', null);
      state.clearMarks();
      state.tell('deleted');
      notify(deleted === 0 ? 'Nothing was deleted: pinned exchanges stay' : `Deleted ${counted(deleted, 'exchange')}`);
    } catch (problem) {
      notifyProblem(problem);
    }
  };
  const keep = button('Keep', () => dialog.close());
  const dialog = openDialog(`Delete ${what}?`, [el('p', {}, 'This cannot be undone. Pinned exchanges stay.')], [
    keep, button('Delete', remove, { class: 'danger' }),
  ]);
  keep.focus();
}

async function removed(ids) {
  let count = 0;
  for (let at = 0; at < ids.length; at += NAMED_MAX) {
    const filter = ids.slice(at, at + NAMED_MAX).map((id) => `id=${id}`).join(' or ');
    count += (await json('/exchanges', { method: 'DELETE', query: { filter } })).deleted;
  }
  return count;
}
