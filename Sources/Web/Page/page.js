// The frame of the page: header, filter, views, the open exchange, status line.

import { button, el, setText, visible } from './dom.js';
import { keepFocus } from './focus.js';
import { focusView } from './focus-view.js';
import { counted } from './format.js';
import './exchange-list.js';
import './banner.js';
import './chips.js';
import './filter-bar.js';
import './holds-tray.js';
import { icon } from './icons.js';
import './intercept.js';
import { splitter } from './layout.js';
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
    el('state-banner'), el('header', { class: 'top' }, brand(), viewSwitch(), toolButtons(page)),
    el('search', { class: 'filter-place' }, page.filter, el('intercept-box'), el('filter-chips')),
    page.holds, main, statusLine(page), noticesElement());
  page.filter.addEventListener('done', () => focusView(page));
  list.addEventListener('counted', () => page.filter.showCount(counted(list.source.count, 'exchange')));
  list.source.addEventListener('problem', ({ detail }) => sayProblem(page, detail));
  state.on('view', () => showView(page));
  showView(page);
  list.source.addEventListener('reset', loadExchangeView, { once: true });
  if (state.openId) loadExchangeView();
  keepFocus(() => focusView(page));
  closeFocus(page);
  return page;
}

/// The name, with a sign of something that passes through.
function brand() {
  return el('h1', { class: 'brand' }, icon('brand', 18), el('span', { class: 'label' }, 'proxyd'));
}

/// Loads what shows an open exchange. If the server is away just then, it is loaded once it is back.
async function loadExchangeView() {
  try {
    await import('./exchange-view.js');
  } catch {
    state.addEventListener('isServerUp', loadExchangeView, { once: true });
  }
}

function viewSwitch() {
  const buttons = VIEWS.map((view) => button([icon(view.name), el('span', { class: 'label' }, view.title)], () => state.set('view', view.name), {
    'aria-label': view.title, title: `${view.title} (${view.key})`,
  }));
  const mark = () => buttons.forEach((one, index) => {
    if (VIEWS[index].name === state.view) one.setAttribute('aria-current', 'page');
    else one.removeAttribute('aria-current');
  });
  state.on('view', mark);
  mark();
  return el('nav', { class: 'view-switch segmented', 'aria-label': 'Views' }, buttons);
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
  // The banner and the list without rows say these.
  if (problem.status === 0 || state.isStoreGone || page.list.source.rows.length === 0) return;
  setText(page.problem, problem.message);
  page.list.source.addEventListener('reset', () => page.problem.replaceChildren(), { once: true });
}

function statusLine(page) {
  page.problem = el('span', { class: 'bad', role: 'alert' });
  const facts = el('span', { class: 'facts' });
  state.on('status', () => {
    const { status } = state;
    document.title = titleOf(status);
    const daemon = status.daemon ? `proxyd listens on ${status.addresses.join(', ') || 'nothing'}` : '';
    const recording = status.daemon && !status.recording ? 'not recording' : '';
    const number = status.exchanges === null ? '' : counted(status.exchanges, 'exchange');
    const rules = status.rules_problem ? `rules: ${status.rules_problem}` : '';
    setText(facts, [daemon, recording, rules, number, status.data_directory].filter(Boolean).join(' · '));
  });
  state.on('status isServerUp', () => drawConnection(page.connection));
  return el('footer', { class: 'status-line' },
    page.connection, facts, page.problem, el('span', { class: 'grow' }), el('span', { class: 'dim' }, el('kbd', {}, '?'), ' shows the keys'));
}

/// Tells tabs apart: which file one shows, and whether clients wait for the user.
function titleOf(status) {
  const file = status.read_only ? visible(status.data_directory.split('/').at(-1)) : '';
  return [status.holds ? `${status.holds} held` : '', file, 'proxyd'].filter(Boolean).join(' – ');
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
