// Lists of single exchanges in the summary: the slowest, the largest, and why some failed.

import { json } from './api.js';
import { chartLine, countPanel, panel } from './charts.js';
import { el } from './dom.js';
import { bytes, count, duration, hostText, outcome, outcomeText, pathText } from './format.js';
import { state } from './state.js';

const LENGTH = 8;
/// Clients and failures are counted among so many exchanges, the newest.
const EXAMINED = 500;

/// Reads what the lists show.
export async function readLists(filter, signal) {
  const rows = async (query) => (await json('/exchanges', { query, signal })).exchanges;
  const failed = filter ? `(${filter}) state=failed` : 'state=failed';
  const [slowest, largest, newest, failures] = await Promise.all([
    rows({ filter, sort: 'duration', order: 'desc', limit: LENGTH }), rows({ filter, sort: 'size', order: 'desc', limit: LENGTH }),
    rows({ filter, limit: EXAMINED }), rows({ filter: failed, limit: EXAMINED }),
  ]);
  return { slowest, largest, newest, failures };
}

export function slowestPanel({ slowest }) {
  return rowPanel('Slowest', slowest.filter((row) => row.duration_ms !== null), (row) => row.duration_ms, (row) => [
    duration(row.duration_ms), row.held_ms ? `held ${duration(row.held_ms)} more` : '',
  ]);
}

export function largestPanel({ largest }) {
  const withBodies = largest.filter((row) => row.response_body_bytes > 0);
  return rowPanel('Largest responses', withBodies, (row) => row.response_body_bytes, (row) => [bytes(row.response_body_bytes), '']);
}

export function clientsPanel({ newest }, narrow) {
  return countPanel('Clients', countsOf(newest, (row) => row.process), {
    nameOf: (name) => name ?? 'other machines', choose: (name) => narrow('process', name), note: noteOn(newest),
  });
}

export function failuresPanel({ failures }, narrow) {
  if (failures.length === 0) return panel('Failures', el('p', { class: 'dim' }, 'Every request was answered.'));
  return countPanel('Failures', countsOf(failures, (row) => row.error), {
    nameOf: (name) => name ?? 'not known', choose: (name) => narrow('error', name, ':'), kindOf: () => 'failed', note: noteOn(failures),
  });
}

function noteOn(rows) {
  return rows.length === EXAMINED ? `the newest ${count(EXAMINED)}` : '';
}

function countsOf(rows, nameOf) {
  const counts = new Map();
  for (const row of rows) {
    const name = nameOf(row);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, number]) => ({ name, count: number }));
}

/// Single exchanges with an amount; a line opens its exchange.
function rowPanel(title, rows, amountOf, textsOf) {
  if (rows.length === 0) return panel(title, el('p', { class: 'dim' }, 'None.'));
  const most = Math.max(...rows.map(amountOf));
  return panel(title, el('div', { class: 'chart-lines' }, rows.map((row) => {
    const [text, remark] = textsOf(row);
    const kind = outcome(row);
    const status = el('span', { class: `status ${kind}`, 'aria-label': [row.status, outcomeText(row)].filter(Boolean).join(', ') },
      kind === 'ok' ? null : el('span', { class: `chip-sign ${kind}` }), String(row.status ?? ''));
    const parts = [
      el('span', { class: 'method' }, row.method ?? ''), status,
      el('span', { class: 'name', title: row.url ?? '' }, hostText(row), el('span', { class: 'dim' }, pathText(row))),
      remark ? el('span', { class: 'dim amount' }, remark) : null, el('span', { class: 'amount' }, text),
    ];
    return chartLine(parts, { share: amountOf(row) / most, run: () => state.set('openId', row.id), title: `Open exchange ${row.id}` });
  })));
}
