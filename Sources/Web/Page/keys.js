// What the keys of the page do.

import { copyText } from './clipboard.js';
import {
  breakOn, compareMarked, copyAs, deleteExchanges, editAndSend, editNote, editTags, openClear, openColumns, openCompare, openComposer, openExport, openHelp,
  openRuleForm, openSort, replay, reverseSort, togglePin,
} from './doors.js';
import { focusView } from './focus-view.js';
import { filterValue } from './format.js';
import { KEYS } from './key-table.js';
import { nextPlace } from './layout.js';
import { state } from './state.js';

/// What each key of the table does. It gets the page, the selected row or the open exchange, and
/// the key.
const RUN = {
  filter: (page) => page.filter.focusInput(),
  next: (page) => move(page, 1),
  previous: (page) => move(page, -1),
  pageDown: (page) => move(page, pageLength(page)),
  pageUp: (page) => move(page, -pageLength(page)),
  first: (page) => page.list.select(0),
  last: (page) => page.list.selectLast(),
  open: (page) => open(page),
  close: (page) => escape(page),
  openNext: (page) => step(page, 1),
  openPrevious: (page) => step(page, -1),
  tab: (page, row, key) => page.exchange.chooseTab?.(key),
  place: () => nextPlace(),
  searchBody: (page) => page.exchange.focusSearch?.(),
  replay: (page, row) => replay(row.id),
  edit: (page, row) => editAndSend(row),
  compose: () => openComposer(null),
  copyURL: (page, row) => copyText(row.url, 'Copied the URL'),
  copy: (page, row) => copyAs(row.id, 'curl', 'cURL'),
  mark: (page) => mark(page),
  unmark: () => state.clearMarks(),
  sort: (page) => openSort(page.list),
  reverse: () => reverseSort(),
  pin: (page, row) => togglePin(row),
  note: (page, row) => editNote(row),
  tags: (page, row) => editTags(row),
  deleteRow: (page, row) => deleteExchanges(row),
  breakOn: (page, row) => breakOn(row),
  map: (page, row) => openRuleForm('map', row),
  rule: (page, row) => openRuleForm('any', row),
  onlyHost: (page, row) => state.narrow(`host=${filterValue(row.host)}`),
  otherHosts: (page, row) => state.narrow(`host!=${filterValue(row.host)}`),
  onlyPath: (page, row) => state.narrow(`path=${filterValue(row.path)}`),
  onlyStatus: (page, row) => row.status !== null && state.narrow(`status=${row.status}`),
  otherStatuses: (page, row) => state.narrow(row.status === null ? 'not state=failed' : `status!=${row.status}`),
  filterBefore: () => state.undoFilter(),
  saveFilter: (page) => page.filter.showSaved(true),
  savedFilters: (page) => page.filter.showSaved(),
  follow: () => state.set('isFollowing', !state.isFollowing),
  list: () => state.set('view', 'list'),
  tree: () => state.set('view', 'tree'),
  waterfall: () => state.set('view', state.view === 'waterfall' ? 'list' : 'waterfall'),
  summary: () => state.set('view', 'summary'),
  rules: () => state.set('view', 'rules'),
  holds: (page) => page.holds.toggle(),
  compare: (page, row) => compareMarked(row),
  compareSets: () => openCompare(),
  export: () => openExport(),
  clear: (page) => openClear(page),
  columns: (page) => openColumns(page),
  help: () => openHelp(),
};

/// Listens on the document. Fields, menus and dialogs keep their own keys.
export function listenForKeys(page) {
  state.on('step', ({ detail }) => step(page, detail));
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
    RUN[entry.name](page, row, event.key);
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
