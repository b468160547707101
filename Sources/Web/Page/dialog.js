// Modal dialogs. The browser keeps the focus inside, and gives it back at the end.

import { button, el } from './dom.js';
import { iconButton } from './icons.js';

let openedCount = 0;
let fieldCount = 0;

/// Opens a dialog. `content` is a list of elements; `actions` are buttons below them. If
/// `hasDraft()` is true, Escape and ✕ ask before what was typed is lost. Returns an object with
/// `element` and `close()`, which does not ask.
export function openDialog(title, content, actions = [], { isWide = false, hasDraft = () => false, closed = () => {} } = {}) {
  const before = document.activeElement;
  // Dialogs can be open on top of each other, so each has its own title.
  openedCount += 1;
  const id = `dialog-title-${openedCount}`;
  const heading = el('h2', { id }, title);
  const element = el('dialog', { class: isWide ? 'wide' : '', 'aria-labelledby': id });
  const close = () => element.close();
  const question = draftQuestion(element, close);
  const leave = () => (hasDraft() ? question.toggle() : close());
  element.append(
    el('div', { class: 'dialog-head' }, heading, iconButton('close', 'Close', leave, { title: 'Close (Escape)' })),
    el('div', { class: 'dialog-content' }, content),
    question.element, el('div', { class: 'dialog-actions' }, actions));
  element.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Tab') goRound(event, element);
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
    event.preventDefault();
    leave();
  });
  element.addEventListener('cancel', (event) => {
    event.preventDefault();
    leave();
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

/// The question whether what was typed may be lost. Escape keeps it, too.
function draftQuestion(dialog, close) {
  let writing = null;
  dialog.addEventListener('focusin', ({ target }) => {
    if (target.matches('input, textarea')) writing = target;
  });
  const keep = button('Keep editing', () => toggle(), { class: 'primary' });
  const element = el('div', { class: 'draft-question', role: 'alertdialog', 'aria-label': 'Discard what you changed?', hidden: true },
    el('span', { class: 'grow' }, 'Discard what you changed?'), button('Discard', close), keep);
  const toggle = () => {
    element.hidden = !element.hidden;
    (element.hidden && writing?.isConnected ? writing : keep).focus();
  };
  return { element, toggle };
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

/// A labelled field of a dialog. The hint describes it, and is no part of its name.
export function field(label, input, hint = '') {
  if (!hint) return el('label', { class: 'field' }, el('span', {}, label), input);
  fieldCount += 1;
  const id = `hint-${fieldCount}`;
  input.setAttribute('aria-label', label);
  input.setAttribute('aria-describedby', id);
  return el('label', { class: 'field' }, el('span', {}, label), input, el('span', { class: 'dim', id }, hint));
}
