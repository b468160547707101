// Short notices at the edge of the page, which screen readers announce and which take no focus.

import { button, el } from './dom.js';

const SHOWN_MS = 5000;
const list = el('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });

export function noticesElement() {
  return list;
}

/// Shows a notice for some seconds. `undo` adds a button that calls it. Returns what removes it
/// earlier.
export function notify(text, { kind = 'info', undo = null } = {}) {
  const notice = el('div', { class: `notice ${kind}` }, el('span', {}, text));
  const remove = () => notice.remove();
  if (undo) {
    notice.append(button('Undo', () => {
      remove();
      undo();
    }));
  }
  list.append(notice);
  while (list.children.length > 3) list.firstChild.remove();
  setTimeout(remove, undo || kind === 'bad' ? SHOWN_MS * 2 : SHOWN_MS);
  return remove;
}

/// Shows why something failed, unless the user cancelled it.
export function notifyProblem(problem) {
  if (problem?.name !== 'AbortError') notify(problem?.message ?? String(problem), { kind: 'bad' });
}
