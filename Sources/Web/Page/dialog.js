// Modal dialogs. The browser keeps the focus inside, and gives it back at the end.

import { button, el } from './dom.js';

let openedCount = 0;

/// Opens a dialog. `content` is a list of elements; `actions` are buttons below them. Returns an
/// object with `element` and `close()`.
export function openDialog(title, content, actions = [], { isWide = false, closed = () => {} } = {}) {
  const before = document.activeElement;
  // Dialogs can be open on top of each other, so each has its own title.
  openedCount += 1;
  const id = `dialog-title-${openedCount}`;
  const heading = el('h2', { id }, title);
  const element = el('dialog', { class: isWide ? 'wide' : '', 'aria-labelledby': id });
  const close = () => element.close();
  element.append(
    el('div', { class: 'dialog-head' }, heading, button('✕', close, { class: 'quiet', 'aria-label': 'Close', title: 'Close (Escape)' })),
    el('div', { class: 'dialog-content' }, content),
    el('div', { class: 'dialog-actions' }, actions));
  element.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Tab') goRound(event, element);
  });
  element.addEventListener('close', () => {
    const isLost = document.activeElement === document.body || element.contains(document.activeElement);
    element.remove();
    // This comes a little after the end, when the user may already have gone elsewhere.
    if (isLost && before?.isConnected) before.focus();
    closed();
  });
  document.body.append(element);
  element.showModal();
  const first = element.querySelector('[autofocus]') ?? element.querySelector('.dialog-content input, .dialog-content textarea');
  first?.focus();
  return { element, close };
}

/// After the last thing that can be focused comes the first; the browser would leave the page.
function goRound(event, dialog) {
  const all = [...dialog.querySelectorAll('button, input, select, textarea, [tabindex="0"]')]
    .filter((one) => !one.disabled && one.checkVisibility());
  const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to.focus();
}

/// A labelled field of a dialog.
export function field(label, input, hint = '') {
  return el('label', { class: 'field' }, el('span', {}, label), input, hint ? el('span', { class: 'dim' }, hint) : null);
}
