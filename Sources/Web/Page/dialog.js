// Modal dialogs. The browser keeps the focus inside, and gives it back at the end.

import { button, el } from './dom.js';

/// Opens a dialog. `content` is a list of elements; `actions` are buttons below them. Returns an
/// object with `element` and `close()`.
export function openDialog(title, content, actions = [], { isWide = false, closed = () => {} } = {}) {
  const before = document.activeElement;
  const heading = el('h2', { id: 'dialog-title' }, title);
  const element = el('dialog', { class: isWide ? 'wide' : '', 'aria-labelledby': 'dialog-title' });
  const close = () => element.close();
  element.append(
    el('div', { class: 'dialog-head' }, heading, button('✕', close, { class: 'quiet', 'aria-label': 'Close', title: 'Close (Escape)' })),
    el('div', { class: 'dialog-content' }, content),
    el('div', { class: 'dialog-actions' }, actions));
  element.addEventListener('keydown', (event) => event.stopPropagation());
  element.addEventListener('close', () => {
    element.remove();
    if (before?.isConnected) before.focus();
    closed();
  });
  document.body.append(element);
  element.showModal();
  element.querySelector('[autofocus], .dialog-content input, .dialog-content textarea')?.focus();
  return { element, close };
}

/// A labelled field of a dialog.
export function field(label, input, hint = '') {
  return el('label', { class: 'field' }, el('span', {}, label), input, hint ? el('span', { class: 'dim' }, hint) : null);
}
