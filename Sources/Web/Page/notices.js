// Short notices at the edge of the page, which screen readers announce and which take no focus.

import { button, el } from './dom.js';

const SHOWN_MS = 5000;
const list = el('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });

export function noticesElement() {
  return list;
}

/// Shows a notice for some seconds. `undo` adds a button that calls it, `action` one with its own
/// text. Returns what removes the notice earlier.
export function notify(text, options = {}) {
  const notice = el('div', { class: 'notice' });
  list.append(notice);
  while (list.children.length > 3) list.firstChild.remove();
  return fill(notice, text, options);
}

/// Shows what is being done. Returns what replaces it with the outcome, which takes what `notify`
/// takes.
export function notifyProgress(text) {
  const notice = el('div', { class: 'notice' }, el('span', {}, `${text}…`));
  list.append(notice);
  return (outcome, options = {}) => {
    if (notice.isConnected) fill(notice, outcome, options);
    else notify(outcome, options);
  };
}

function fill(notice, text, { kind = 'info', undo = null, action = undo && { text: 'Undo', run: undo } }) {
  const remove = () => notice.remove();
  const run = () => {
    remove();
    action.run();
  };
  notice.className = `notice ${kind}`;
  notice.replaceChildren(el('span', {}, text), ...(action ? [button(action.text, run)] : []));
  setTimeout(remove, action || kind === 'bad' ? SHOWN_MS * 2 : SHOWN_MS);
  return remove;
}

/// Shows why something failed, unless the user cancelled it.
export function notifyProblem(problem) {
  if (problem?.name !== 'AbortError') notify(problem?.message ?? String(problem), { kind: 'bad' });
}
