// The columns to sort by, as a menu.

import { COLUMNS } from './columns.js';
import { sortBy } from './list-headings.js';
import { openMenu } from './menu.js';
import { state } from './state.js';

/// Opens the menu at the headings of a list.
export function openSort(list) {
  const { sort } = state;
  const items = COLUMNS.filter((column) => column.sort).map((column) => ({
    text: column.title, icon: sort?.column === column.sort ? (sort.order === 'asc' ? 'sort-up' : 'sort-down') : undefined, run: () => sortBy(column),
  }));
  const none = { text: 'In the order of capture', isDisabled: sort === null, run: () => state.set('sort', null) };
  const { left, bottom } = list.head.getBoundingClientRect();
  openMenu('Sort by', [...items, null, none], { x: left + 12, y: bottom });
}

/// The other order of what the list is sorted by.
export function reverseSort() {
  const { sort } = state;
  if (sort) state.set('sort', { ...sort, order: sort.order === 'asc' ? 'desc' : 'asc' });
  else state.set('sort', { column: 'time', order: 'desc' });
}
