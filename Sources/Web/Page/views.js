// The views that take the place of the list.

import { el } from './dom.js';
import { state } from './state.js';
import { waterfallTools } from './waterfall.js';

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
  if (!view.load) return showList(page, view);
  const fill = await view.load();
  if (state.view !== view.name) return;
  const element = el('div', { class: `view ${view.name}`, role: 'region', 'aria-label': view.title, tabIndex: -1 });
  const isFocused = hasFocus(page);
  page.views.replaceChildren(element);
  if (isFocused) element.focus();
  fill(element, page);
}

/// The list, with or without the waterfall in place of some columns.
async function showList(page, view) {
  const isWaterfall = view.name === 'waterfall';
  const tools = isWaterfall ? await waterfallTools(page.list) : null;
  if (state.view !== view.name) return;
  const isFocused = hasFocus(page);
  page.views.onkeydown = tools ? (event) => tools.press(event) : null;
  if (!page.list.isConnected) page.views.replaceChildren(page.list);
  if (page.list.previousSibling !== tools) page.list.previousSibling?.remove();
  if (tools) page.list.before(tools);
  state.set('showsWaterfall', isWaterfall);
  page.list.layOut();
  if (isFocused) page.list.grid.focus({ preventScroll: true });
}

/// Whether the focus is in the view that is about to go, or nowhere yet.
function hasFocus(page) {
  return page.views.contains(document.activeElement) || document.activeElement === document.body;
}
