// Filters that have a name, kept in this browser.

import { recall, remember } from './memory.js';
import { state } from './state.js';

/// All of them, as objects with `name` and `filter`, in the order of their names.
export function savedFilters() {
  return recall('saved-filters', []);
}

/// The one with the filter that is in use, or undefined.
export function savedFilterInUse() {
  return savedFilters().find(({ filter }) => filter === state.filter);
}

/// Saves a filter, in place of another one of the same name.
export function saveFilter(name, filter) {
  keep([...savedFilters().filter((one) => one.name !== name), { name, filter }]);
}

export function renameFilter(from, to) {
  const filters = savedFilters().filter((one) => one.name === from || one.name !== to);
  keep(filters.map((one) => (one.name === from ? { ...one, name: to } : one)));
}

export function deleteFilter(name) {
  keep(savedFilters().filter((one) => one.name !== name));
}

function keep(filters) {
  remember('saved-filters', filters.sort((one, other) => one.name.localeCompare(other.name)));
  state.tell('savedFilters');
}
