// The summary of the exchanges that pass the filter.

import { json } from './api.js';
import { barChart, percentileChart, timeChart } from './charts.js';
import { el, throttled } from './dom.js';
import { bytes, count, dateTime, duration, filterValue, outcome } from './format.js';
import { state } from './state.js';

export function fillSummary(view) {
  const content = el('div', { class: 'summary', 'aria-busy': 'true' }, el('p', { class: 'dim', role: 'status' }, 'Reading…'));
  view.append(el('h2', { class: 'unseen' }, 'Summary'), content);
  let abort = new AbortController();
  const read = async () => {
    if (!view.isConnected) {
      state.removeEventListener('filter', read);
      return state.removeEventListener('change', readLater);
    }
    abort.abort();
    abort = new AbortController();
    try {
      draw(content, await json('/summary', { query: { filter: state.filter }, signal: abort.signal }));
    } catch (problem) {
      if (problem.name !== 'AbortError') content.replaceChildren(problemText(problem));
    }
    content.setAttribute('aria-busy', 'false');
  };
  const readLater = throttled(read, 5000);
  state.on('filter', read);
  state.on('change', readLater);
  read();
}

function problemText(problem) {
  if (problem.status === 503) return el('p', { class: 'dim' }, 'Nothing is recorded yet.');
  return el('p', { class: 'bad', role: 'alert' }, problem.message);
}

function draw(content, summary) {
  const focused = content.contains(document.activeElement) ? document.activeElement.title : null;
  const narrow = (field) => (name) => {
    state.narrow(`${field}=${filterValue(name)}`);
    state.set('view', 'list');
  };
  const charts = [
    timeChart('Times', summary.times, (start, end) => {
      state.narrow(`time>=${start} time<${end}`);
      state.set('view', 'list');
    }),
    barChart('Hosts', summary.hosts ?? [], { choose: narrow('host') }),
    barChart('Statuses', summary.statuses ?? [], { choose: narrow('status'), kindOf: (name) => outcome({ status: name, state: name === null ? 'failed' : '' }) }),
    barChart('Types', summary.types ?? [], { choose: narrow('type') }),
    percentileChart('Durations', percentiles(summary.duration_ms), duration),
    percentileChart('Response sizes', percentiles(summary.response_bytes), bytes),
    barChart('Methods', summary.methods ?? [], { choose: narrow('method') }),
  ];
  content.replaceChildren(figures(summary), ...charts);
  if (focused) [...content.querySelectorAll('button')].find((one) => one.title === focused)?.focus();
}

function percentiles(values) {
  return [
    ['Least', values.min], ['Median', values.p50], ['90 %', values.p90], ['95 %', values.p95],
    ['99 %', values.p99], ['Most', values.max], ['Mean', values.mean],
  ];
}

function figures(summary) {
  const share = summary.count ? ` (${((100 * summary.errors) / summary.count).toFixed(1)} %)` : '';
  const all = [
    ['Exchanges', count(summary.count)], ['Errors', `${count(summary.errors)}${share}`],
    ['Body bytes', bytes(summary.bytes)],
    ['First', dateTime(summary.first_started_at)], ['Last', dateTime(summary.last_started_at)],
  ];
  return el('dl', { class: 'figures' }, all.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value || '–'))));
}
