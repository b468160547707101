// Context menus of rows and values: by the right mouse button, the Menu key, a long press, or the
// button that a row shows while the mouse is over it.

import { el } from './dom.js';
import { icon } from './icons.js';

const LONG_PRESS_MS = 550;
const PRESS_DISTANCE = 10;

/// Listens on the document; what makes the menus is read when one is first used.
export function listenForMenus(page) {
  document.addEventListener('contextmenu', (event) => ask(page, event));
  listenForLongPress(page);
  showTools(page);
}

function ask(page, event) {
  const subject = event.shiftKey && event.button === 2 ? null : subjectOf(page, event.target);
  if (!subject) return;
  event.preventDefault();
  open(page, subject, pointOf(subject, event));
}

/// What a menu is about: the value or the row under an element, or null.
function subjectOf(page, target) {
  if (target.closest('input, textarea, dialog, .menu') || hasSelection(target)) return null;
  const value = target.closest('[data-kind]');
  if (value) return { value, element: value };
  const row = target.closest('.list-body .row');
  if (row) return { index: row.index, element: row };
  if (target.closest('.list-head') || !target.closest('exchange-list')) return headSubject(page, target);
  const selected = document.getElementById(`row-${page.list.selected}`);
  return selected ? { index: page.list.selected, element: selected } : null;
}

function headSubject(page, target) {
  const head = target.closest('.exchange-head');
  return head && page.exchange.exchange ? { exchange: page.exchange.exchange, element: head } : null;
}

/// Text that was selected keeps the menu of the browser, which copies it.
function hasSelection(target) {
  const selection = getSelection();
  return !selection.isCollapsed && selection.containsNode(target, true);
}

/// A key asks for the menu at the element that has the focus.
function pointOf({ element }, event) {
  const box = element.getBoundingClientRect();
  const isInside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  return isInside ? { x: event.clientX, y: event.clientY } : { x: box.left + 24, y: box.bottom };
}

async function open(page, subject, place) {
  if (subject.value) {
    const { valueMenu } = await import('./value-actions.js');
    return valueMenu(page.exchange.exchange, subject.value, place);
  }
  if (subject.index !== undefined) page.list.select(subject.index);
  const row = subject.exchange ?? page.list.source.row(subject.index);
  if (!row) return;
  const { rowMenu } = await import('./row-menu.js');
  rowMenu(row, place);
}

/// Some touch browsers send no `contextmenu`.
function listenForLongPress(page) {
  let timer = 0;
  let start = null;
  const end = () => clearTimeout(timer);
  document.addEventListener('pointerdown', (event) => {
    end();
    start = { x: event.clientX, y: event.clientY };
    const subject = event.pointerType === 'touch' ? subjectOf(page, event.target) : null;
    if (subject) timer = setTimeout(() => openForTouch(page, subject, start), LONG_PRESS_MS);
  });
  document.addEventListener('pointermove', (event) => {
    if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > PRESS_DISTANCE) end();
  });
  for (const name of ['pointerup', 'pointercancel', 'contextmenu']) document.addEventListener(name, end);
}

/// The click that ends a long press is no click on the row.
function openForTouch(page, subject, place) {
  const swallow = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => document.removeEventListener('click', swallow, { capture: true }), 1000);
  open(page, subject, place);
}

/// The row under the mouse shows buttons at its end.
function showTools(page) {
  const run = (name) => async (event) => {
    event.stopPropagation();
    const { index } = tools.closest('.row');
    const row = page.list.source.row(index);
    if (name === 'menu') return open(page, { index }, { below: event.currentTarget });
    page.list.select(index);
    if (row) (await import('./row-menu.js')).runRowTool(name, row);
  };
  const tool = (name, sign, text) => el('button', { type: 'button', title: text, 'aria-label': text, tabIndex: -1, on: { click: run(name) } }, icon(sign));
  const tools = el('div', { class: 'row-tools', role: 'gridcell' },
    tool('replay', 'replay', 'Replay'), tool('edit', 'edit', 'Edit and send'), tool('break', 'break', 'Break on this'), tool('menu', 'more', 'More'));
  page.list.addEventListener('pointerover', (event) => {
    const row = event.pointerType === 'mouse' ? event.target.closest('.list-body .row') : null;
    if (row && tools.parentElement !== row) row.append(tools);
  });
  page.list.addEventListener('pointerleave', () => tools.remove());
}
