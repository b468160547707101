// The frame of the page: header, filter, views, the open exchange, status line.

import { button, el, setText } from './dom.js';
import { keepFocus } from './focus.js';
import { focusView } from './focus-view.js';
import { counted } from './format.js';
import './exchange-list.js';
import './banner.js';
import './filter-bar.js';
import './holds-tray.js';
import { noticesElement } from './notices.js';
import { state } from './state.js';
import { toolButtons } from './toolbar.js';
import { showView, VIEWS } from './views.js';

/// Builds the page into the document's body, and returns its parts.
export function buildPage() {
  const list = el('exchange-list');
  const page = {
    list, filter: el('filter-bar'), exchange: el('exchange-view', { hidden: true }),
    views: el('div', { class: 'views' }), holds: el('holds-tray'), connection: el('span', { class: 'connection' }),
  };
  const main = el('main', { id: 'main' }, page.views, splitter(), page.exchange);
  document.body.replaceChildren(
    el('state-banner'), el('header', { class: 'top' }, el('h1', { class: 'brand' }, 'proxyd'), viewSwitch(), toolButtons(page)),
    el('search', { class: 'filter-place' }, page.filter), page.holds, main, statusLine(page), noticesElement());
  page.filter.addEventListener('done', () => focusView(page));
  list.addEventListener('counted', () => page.filter.showCount(counted(list.source.count, 'exchange')));
  list.source.addEventListener('problem', ({ detail }) => sayProblem(page, detail));
  state.on('view', () => showView(page));
  showView(page);
  list.source.addEventListener('reset', () => import('./exchange-view.js'), { once: true });
  if (state.openId) import('./exchange-view.js');
  keepFocus(() => focusView(page));
  closeFocus(page);
  return page;
}

function viewSwitch() {
  const buttons = VIEWS.map((view) => button(view.title, () => state.set('view', view.name), { title: `${view.title} (${view.key})` }));
  const mark = () => buttons.forEach((one, index) => {
    if (VIEWS[index].name === state.view) one.setAttribute('aria-current', 'page');
    else one.removeAttribute('aria-current');
  });
  state.on('view', mark);
  mark();
  return el('nav', { class: 'view-switch', 'aria-label': 'Views' }, buttons);
}

/// What was focused in an exchange that is closed loses the focus to the list.
function closeFocus(page) {
  state.on('openId', () => {
    if (state.openId !== null) return;
    queueMicrotask(() => {
      if (document.activeElement === document.body || page.exchange.contains(document.activeElement)) focusView(page);
    });
  });
}

function sayProblem(page, problem) {
  // The banner and the empty list say these.
  if (problem.status === 0 || problem.status === 503) return;
  setText(page.problem, problem.message);
  page.list.source.addEventListener('reset', () => page.problem.replaceChildren(), { once: true });
}

function statusLine(page) {
  page.problem = el('span', { class: 'bad', role: 'alert' });
  const facts = el('span', { class: 'facts' });
  state.on('status', () => {
    const { status } = state;
    const daemon = status.daemon ? `proxyd listens on ${status.addresses.join(', ') || 'nothing'}` : '';
    const recording = status.daemon && !status.recording ? 'not recording' : '';
    const number = status.exchanges === null ? '' : counted(status.exchanges, 'exchange');
    const rules = status.rules_problem ? `rules: ${status.rules_problem}` : '';
    setText(facts, [daemon, recording, rules, number, status.data_directory].filter(Boolean).join(' · '));
  });
  state.on('status isServerUp', () => drawConnection(page.connection));
  return el('footer', { class: 'status-line' }, page.connection, facts, page.problem, el('span', { class: 'grow' }), el('span', { class: 'dim' }, '? shows the keys'));
}

/// Whether what is recorded appears here by itself.
function drawConnection(place) {
  const { status, isServerUp } = state;
  const [kind, words] = !isServerUp ? ['down', 'not connected']
    : status?.daemon ? ['up', 'live']
      : status?.read_only ? ['still', 'read-only'] : ['down', 'proxyd is not running'];
  place.dataset.state = kind;
  setText(place, words);
}

/// The border between list and exchange, which is dragged, or moved with the arrow keys.
function splitter() {
  const bar = el('div', { class: 'splitter', role: 'separator', tabIndex: 0, 'aria-label': 'Size of the exchange', 'aria-valuemin': '20', 'aria-valuemax': '85', 'aria-valuenow': '55' });
  let share = 55;
  const apply = (value) => {
    share = Math.min(85, Math.max(20, value));
    bar.parentElement.style.setProperty('--exchange-share', `${share}%`);
    bar.setAttribute('aria-valuenow', String(Math.round(share)));
  };
  const isRow = () => getComputedStyle(bar.parentElement).flexDirection === 'row';
  bar.addEventListener('pointerdown', (down) => {
    down.preventDefault();
    bar.setPointerCapture(down.pointerId);
    const box = bar.parentElement.getBoundingClientRect();
    bar.onpointermove = (event) => apply(isRow() ? (100 * (box.right - event.clientX)) / box.width : (100 * (box.bottom - event.clientY)) / box.height);
    bar.onpointerup = () => {
      bar.onpointermove = null;
    };
  });
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: 3, ArrowUp: 3, ArrowRight: -3, ArrowDown: -3 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    apply(share + step);
  });
  return bar;
}
