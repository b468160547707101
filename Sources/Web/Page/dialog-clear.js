// Deletes what the filter shows, after a question that says how many exchanges that is.

import { json } from './api.js';
import { openDialog } from './dialog.js';
import { button, el } from './dom.js';
import { counted } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

export async function openClear(page) {
  const { filter } = state;
  let count;
  try {
    ({ count } = await json('/count', { query: { filter: filter ? `(${filter}) pinned=no` : 'pinned=no' } }));
  } catch (problem) {
    return notifyProblem(problem);
  }
  const remove = async () => {
    dialog.close();
    try {
      const query = filter ? { filter } : { filter: '', all: true };
      const { deleted } = await json('/exchanges', { method: 'DELETE', query });
      notify(`Deleted ${counted(deleted, 'exchange')}`);
      state.set('openId', null);
      state.clearMarks();
      page.list.source.reset(state.filter, state.sort);
    } catch (problem) {
      notifyProblem(problem);
    }
  };
  const keep = button(count === 0 ? 'Close' : 'Keep them', () => dialog.close());
  const dialog = openDialog('Delete exchanges', [
    el('p', {}, sentence(count, filter)),
    count === 0 ? '' : el('p', { class: 'dim' }, 'Pinned exchanges stay. This cannot be undone.'),
  ], [keep, button(`Delete ${counted(count, 'exchange')}`, remove, { class: 'danger', disabled: count === 0 })]);
  keep.focus();
}

function sentence(count, filter) {
  if (count === 0) return filter ? `No exchange passes the filter: ${filter}` : 'There is nothing to delete.';
  const exchanges = counted(count, 'exchange');
  return filter ? `${exchanges} that pass the filter will be deleted: ${filter}` : `All ${exchanges} will be deleted.`;
}
