// The views that take the place of the list.

import { el } from './dom.js';
import { state } from './state.js';

/// Each view with the key that shows it. `load` brings a function that fills an element; the
/// waterfall is the list with another column.
export const VIEWS = [
  { name: 'list', title: 'List', key: 'l' },
  { name: 'tree', title: 'Tree', key: 'T', load: async () => (await import('./view-tree.js')).fillTree },
  { name: 'waterfall', title: 'Waterfall', key: 'W' },
  { name: 'summary', title: 'Summary', key: 'S', load: async () => (await import('./view-summary.js')).fillSummary },
  { name: 'rules', title: 'Rules', key: 'L', load: async () => (await import('./view-rules.js')).fillRules },
];

/// Shows the view that the state names.
export async function showView(page) {
  const view = VIEWS.find((one) => one.name === state.view) ?? VIEWS[0];
  state.set('showsWaterfall', view.name === 'waterfall');
  if (!view.load) {
    const isFocused = hasFocus(page);
    if (!page.list.isConnected) page.views.replaceChildren(page.list);
    page.list.layOut();
    if (isFocused) page.list.grid.focus({ preventScroll: true });
    return;
  }
  const fill = await view.load();
  if (state.view !== view.name) return;
  const element = el('div', { class: `view ${view.name}`, role: 'region', 'aria-label': view.title, tabIndex: -1 });
  const isFocused = hasFocus(page);
  page.views.replaceChildren(element);
  if (isFocused) element.focus();
  fill(element, page);
}

/// Whether the focus is in the view that is about to go, or nowhere yet.
function hasFocus(page) {
  return page.views.contains(document.activeElement) || document.activeElement === document.body;
}
