// The summary of the exchanges that pass the filter. Each line of it narrows the filter.

import { json } from './api.js';
import { countPanel, panel } from './charts.js';
import { el, throttled } from './dom.js';
import { listMessage } from './first-steps.js';
import { bytes, count, dateTime, duration, filterValue, outcome } from './format.js';
import { state } from './state.js';
import { clientsPanel, failuresPanel, largestPanel, readLists, slowestPanel } from './summary-lists.js';
import { TimeChart } from './summary-times.js';

/// What a name that is missing is in the filter language.
const WITHOUT = { status: 'not status>=0', method: 'not method~.', host: 'not host~.' };
const TIME_TEST = /(^|\s)time(?:>=|<)\d{4}-\S+/g;

export function fillSummary(view) {
  const content = el('div', { class: 'summary', 'aria-busy': 'true' }, el('p', { class: 'dim', role: 'status' }, 'Reading…'));
  view.append(el('h2', { class: 'unseen' }, 'Summary'), content);
  const chart = new TimeChart(narrowTime);
  let abort = new AbortController();
  let isReading = false;
  const read = async () => {
    if (!view.isConnected) {
      state.removeEventListener('filter', read);
      return state.removeEventListener('change', readLater);
    }
    abort.abort();
    abort = new AbortController();
    isReading = true;
    const { signal } = abort;
    const filter = state.filter || undefined;
    try {
      const [summary, lists] = await Promise.all([json('/summary', { query: { filter }, signal }), readLists(state.filter, signal)]);
      if (summary.count === 0) content.replaceChildren(listMessage(state.status, null, read));
      else draw(content, chart, summary, lists);
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      content.replaceChildren(listMessage(state.status, problem, read));
    }
    isReading = false;
    content.setAttribute('aria-busy', 'false');
  };
  // A large store may take longer than this to read.
  const readLater = throttled(() => (isReading ? readLater() : read()), 5000);
  state.on('filter', read);
  state.on('change', readLater);
  read();
}

/// What has not changed stays where it is: the chart, which may be read at the moment, and the focus.
function draw(content, chart, summary, lists) {
  const focused = content.contains(document.activeElement) ? document.activeElement.title : null;
  if (!chart.element.isConnected) content.replaceChildren(el('dl', { class: 'figures' }), chart.element);
  content.firstChild.replaceChildren(...figures(summary));
  chart.update(summary.times);
  while (chart.element.nextSibling) chart.element.nextSibling.remove();
  content.append(...panels(summary, lists));
  if (focused && document.activeElement === document.body) [...content.querySelectorAll('button')].find((one) => one.title === focused)?.focus();
}

function panels(summary, lists) {
  const choose = (field) => (name) => narrow(field, name);
  return [
    el('div', { class: 'chart-pair' }, slowestPanel(lists), largestPanel(lists)),
    countPanel('Statuses', summary.statuses, {
      choose: choose('status'), canChoose: () => true, nameOf: (name) => (name === null ? 'no response' : String(name)),
      kindOf: (name) => outcome({ status: name, state: name === null ? 'failed' : '' }),
    }),
    failuresPanel(lists, narrow),
    countPanel('Hosts', summary.hosts, { choose: choose('host'), canChoose: () => true, errorsOf: (host) => host.errors }),
    countPanel('Content types', summary.types, { choose: choose('type') }),
    countPanel('Methods', summary.methods, { choose: choose('method'), canChoose: () => true }),
    clientsPanel(lists, narrow), percentiles(summary),
  ];
}

/// Lists only what a line counts.
function narrow(field, name, operator = '=') {
  state.narrow(name === null ? WITHOUT[field] : `${field}${operator}${filterValue(name)}`);
  state.set('view', 'list');
}

/// Shows only a time, in place of one that was chosen before. The summary stays, as when a map is zoomed.
function narrowTime(start, end) {
  const others = state.filter.replace(TIME_TEST, '').trim();
  const time = `time>=${start} time<${end}`;
  state.set('filter', !others ? time : / or |\|/.test(others) ? `(${others}) ${time}` : `${others} ${time}`);
}

function figures(summary) {
  const share = summary.count ? ` (${((100 * summary.errors) / summary.count).toFixed(1)} %)` : '';
  const all = [
    ['Exchanges', count(summary.count)], ['Errors', `${count(summary.errors)}${share}`, summary.errors ? 'bad' : ''], ['Bodies', bytes(summary.bytes)],
    ['Median duration', duration(summary.duration_ms.p50)], ['95 % took at most', duration(summary.duration_ms.p95)],
    ['Time', timeRange(summary)],
  ];
  return all.map(([name, value, kind = '']) => el('div', {}, el('dt', {}, name), el('dd', { class: kind }, value || '–')));
}

/// From the first start to the last one; the day is said once if it is the same.
function timeRange({ first_started_at: first, last_started_at: last }) {
  const [from, to] = [dateTime(first), dateTime(last)];
  const [day, clock] = to.split(' ');
  return `${from} – ${from.startsWith(day) ? clock : to}`;
}

function percentiles({ duration_ms: durations, response_bytes: sizes }) {
  const names = [['Least', 'min'], ['Median', 'p50'], ['90 %', 'p90'], ['95 %', 'p95'], ['99 %', 'p99'], ['Most', 'max'], ['Mean', 'mean']];
  const row = (title, values, text) => el('tr', {}, el('th', { scope: 'row' }, title), names.map(([, key]) => el('td', { class: 'amount' }, text(values[key]) || '–')));
  const head = el('tr', {}, el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'Of')), names.map(([name]) => el('th', { scope: 'col', class: 'amount' }, name)));
  const sizeText = (value) => bytes(value === null ? null : Math.round(value));
  const table = el('table', { class: 'table' },
    el('thead', {}, head), el('tbody', {}, row('Duration', durations, duration), row('Response size', sizes, sizeText)));
  // A narrow page scrolls it, also by keys.
  const place = el('div', { class: 'table-place', tabIndex: 0, role: 'group', 'aria-label': 'Durations and sizes' }, table);
  return panel('Durations and sizes', place, { className: 'wide' });
}
