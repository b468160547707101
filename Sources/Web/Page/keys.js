// The keys of the page: those of the terminal interface where they fit.

import { json, exchangePath } from './api.js';
import {
  compareMarked, copyAs, editNote, editTags, openClear, openColumns, openCompare, openComposer, openExport, openHelp, replay, togglePin,
} from './doors.js';
import { filterValue } from './format.js';
import { notifyProblem } from './notices.js';
import { focusView } from './page.js';
import { state } from './state.js';

/// All keys, as the help shows them. `run(page, row)` gets the selected row, or the open exchange;
/// keys with `needsRow` do nothing without one.
export const KEYS = [
  { keys: ['/'], text: 'filter', run: (page) => page.filter.focusInput() },
  { keys: ['ArrowDown', 'j'], text: 'next exchange', run: (page) => move(page, 1) },
  { keys: ['ArrowUp', 'k'], text: 'previous exchange', run: (page) => move(page, -1) },
  { keys: ['PageDown'], text: 'page down', run: (page) => move(page, pageLength(page)) },
  { keys: ['PageUp'], text: 'page up', run: (page) => move(page, -pageLength(page)) },
  { keys: ['Home', 'g'], text: 'first exchange', run: (page) => page.list.select(0) },
  { keys: ['End', 'G'], text: 'last exchange', run: (page) => page.list.goToEnd().then(() => page.list.select(page.list.source.size - 1)) },
  { keys: ['Enter'], text: 'open the exchange', run: (page) => open(page) },
  { keys: ['Escape'], text: 'close it; clear marks', run: (page) => escape(page) },
  { keys: [']'], text: 'open the next exchange', run: (page) => step(page, 1) },
  { keys: ['['], text: 'open the previous exchange', run: (page) => step(page, -1) },
  { keys: ['1', '2', '3', '4', '5', '6', '7'], shown: '1 … 7', text: 'tab of the exchange', run: (page, row, key) => page.exchange.chooseTab?.(Number(key)) },
  { keys: ['f'], text: 'search the body', run: (page) => page.exchange.focusSearch?.() },
  { keys: ['r'], text: 'replay', needsRow: true, run: (page, row) => replay(row.id) },
  { keys: ['e'], text: 'edit and send', needsRow: true, run: (page, row) => compose(row) },
  { keys: ['n'], text: 'new request', run: () => openComposer(null) },
  { keys: ['Y'], text: 'copy as cURL', needsRow: true, run: (page, row) => copyAs(row.id, 'curl', 'cURL') },
  { keys: ['m', ' '], shown: 'm', text: 'mark', run: (page) => mark(page) },
  { keys: ['p'], text: 'pin', needsRow: true, run: (page, row) => togglePin(row) },
  { keys: [';'], text: 'note', needsRow: true, run: (page, row) => editNote(row) },
  { keys: ['t'], text: 'tags', needsRow: true, run: (page, row) => editTags(row) },
  { keys: ['i'], text: 'only this host', needsRow: true, run: (page, row) => state.narrow(`host=${filterValue(row.host)}`) },
  { keys: ['x'], text: 'all other hosts', needsRow: true, run: (page, row) => state.narrow(`host!=${filterValue(row.host)}`) },
  { keys: ['P'], text: 'only this path', needsRow: true, run: (page, row) => state.narrow(`path=${filterValue(row.path)}`) },
  { keys: ['s'], text: 'only this status', needsRow: true, run: (page, row) => row.status !== null && state.narrow(`status=${row.status}`) },
  { keys: ['u'], text: 'filter before', run: () => state.undoFilter() },
  { keys: ['F'], text: 'follow', run: () => state.set('isFollowing', !state.isFollowing) },
  { keys: ['l'], text: 'list', run: () => state.set('view', 'list') },
  { keys: ['T'], text: 'tree by host and path', run: () => state.set('view', 'tree') },
  { keys: ['W'], text: 'waterfall', run: () => state.set('view', 'waterfall') },
  { keys: ['S'], text: 'summary', run: () => state.set('view', 'summary') },
  { keys: ['L'], text: 'rules', run: () => state.set('view', 'rules') },
  { keys: ['H'], text: 'what is held', run: (page) => page.holds.toggle() },
  { keys: ['D'], text: 'compare two', run: (page, row) => compareMarked(row) },
  { keys: ['V'], text: 'compare two sets', run: () => openCompare() },
  { keys: ['X'], text: 'export', run: () => openExport() },
  { keys: ['z'], text: 'delete what the filter shows', run: (page) => openClear(page) },
  { keys: ['C'], text: 'columns', run: (page) => openColumns(page) },
  { keys: ['?'], text: 'these keys', run: () => openHelp() },
];

/// Listens on the document. Fields, menus and dialogs keep their own keys.
export function listenForKeys(page) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest('input:not([type=checkbox]), textarea, select, dialog')) return;
    const isButton = event.target.closest('button, summary, a, input');
    if (isButton && ['Enter', ' '].includes(event.key)) return;
    if (scrollsPanel(page, event)) return;
    const entry = KEYS.find((one) => one.keys.includes(event.key));
    if (!entry) return;
    const row = rowOf(page);
    if (entry.needsRow && !row) return;
    event.preventDefault();
    entry.run(page, row, event.key);
  });
}

const SCROLLING = new Set(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ']);

/// In the open exchange and in other views, these keys scroll.
function scrollsPanel(page, event) {
  return SCROLLING.has(event.key) && !page.list.contains(event.target) && event.target !== document.body;
}

/// The exchange that a key is about: the open one if the focus is in it, otherwise the selected.
function rowOf(page) {
  const isInside = page.exchange.contains(document.activeElement);
  return isInside ? page.exchange.exchange : (page.list.selectedRow ?? page.exchange.exchange);
}

function move(page, rows) {
  page.list.grid.focus({ preventScroll: true });
  page.list.move(rows);
}

function pageLength(page) {
  return Math.max(1, Math.floor(page.list.scroll.visibleCount) - 1);
}

async function open(page) {
  if (!page.list.selectedRow) return;
  page.list.open();
  await customElements.whenDefined('exchange-view');
  page.exchange.focus({ preventScroll: true });
}

function step(page, rows) {
  page.list.move(rows);
  page.list.open();
}

function escape(page) {
  if (state.openId) {
    state.set('openId', null);
    focusView(page);
  } else if (state.marks.size) {
    state.clearMarks();
  }
}

function mark(page) {
  const row = page.list.selectedRow;
  if (!row) return;
  state.toggleMark(row.id);
  page.list.move(1);
}

/// The row has no headers and no body; the composer needs both.
async function compose(row) {
  try {
    openComposer(row.request ? row : await json(exchangePath(row.id)));
  } catch (problem) {
    notifyProblem(problem);
  }
}
