// The headings of the list: they sort when pressed and resize when dragged.

import { el } from './dom.js';
import { icon } from './icons.js';
import { state } from './state.js';

const STEP = 12;

/// Makes the row of headings. `resize(column, width)` is called while one is dragged.
export function headings(columns, choice, resize) {
  return el('div', { class: 'row headings', role: 'row', 'aria-rowindex': '1' }, columns.map((column) => heading(column, choice, resize)));
}

function heading(column, choice, resize) {
  const order = state.sort?.column === column.sort && column.sort ? state.sort.order : null;
  const names = { asc: 'ascending', desc: 'descending' };
  const cell = el('div', {
    class: `cell heading ${column.name}${order ? ' sorted' : ''}`, role: 'columnheader',
    'aria-sort': column.sort ? (names[order] ?? 'none') : undefined,
  });
  const title = column.heading ?? column.title;
  if (column.fillHeading) {
    column.fillHeading(cell);
  } else if (!column.sort) {
    cell.append(el('span', { 'aria-label': column.title, role: 'img', title: column.title }, title));
  } else {
    cell.append(el('button', {
      type: 'button', class: 'heading-button', 'aria-label': `Sort by ${column.title.toLowerCase()}`,
      title: `Sort by ${column.title.toLowerCase()}. Alt and arrow keys change the width.`,
      on: { keydown: (event) => resizeByKey(event, column, choice, resize), click: () => sortBy(column) },
    }, title, order ? icon(order === 'asc' ? 'sort-up' : 'sort-down', 12) : null));
  }
  if (column.width) cell.append(grip(column, choice, resize));
  return cell;
}

function resizeByKey(event, column, choice, resize) {
  const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
  if (!event.altKey || !step || !column.width) return;
  event.preventDefault();
  event.stopPropagation();
  resize(column, choice.width(column) + step);
}

/// Sorts by a column: first in its usual order, then in the other one, then not at all.
export function sortBy({ sort: column, startsDescending }) {
  const orders = startsDescending ? ['desc', 'asc'] : ['asc', 'desc'];
  const { sort } = state;
  if (sort?.column !== column) state.set('sort', { column, order: orders[0] });
  else if (sort.order === orders[0]) state.set('sort', { column, order: orders[1] });
  else state.set('sort', null);
}

function grip(column, choice, resize) {
  const handle = el('span', { class: 'grip', 'aria-hidden': 'true' });
  handle.addEventListener('pointerdown', (down) => {
    down.preventDefault();
    handle.setPointerCapture(down.pointerId);
    const width = choice.width(column);
    const move = (event) => resize(column, width + event.clientX - down.clientX);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), { once: true });
  });
  return handle;
}
