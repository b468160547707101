// Charts as SVG. Each has a text next to its bars, so that it can be read without colours.

import { el, svg } from './dom.js';
import { count, dateTime, duration } from './format.js';

const BARS_MAX = 12;

/// Horizontal bars with names and counts; each is a button that calls `choose(name)`.
export function barChart(title, items, { choose = null, kindOf = () => '' } = {}) {
  const all = items.reduce((sum, item) => sum + item.count, 0) || 1;
  const most = Math.max(1, ...items.map((item) => item.count));
  const shown = [...items].sort((a, b) => b.count - a.count).slice(0, BARS_MAX);
  const rest = items.length - shown.length;
  const lines = shown.map((item) => barLine(item, most, all, choose, kindOf(item.name)));
  return el('section', { class: 'chart', 'aria-label': title }, el('h3', {}, title), el('div', { class: 'bars' }, lines),
    rest > 0 ? el('p', { class: 'dim' }, `and ${rest} more`) : null);
}

function barLine(item, most, all, choose, kind) {
  const name = item.name === null ? 'none' : String(item.name);
  const track = svg('svg', { class: 'bar-track', width: '100%', height: 14, 'aria-hidden': 'true' });
  track.append(svg('rect', { class: `bar ${kind}`, width: `${Math.max(0.5, (100 * item.count) / most)}%`, height: 10, y: 2, rx: 2 }));
  const share = `${((100 * item.count) / all).toFixed(1)} %`;
  const parts = [el('span', { class: 'name', title: name }, name), track, el('span', { class: 'amount' }, count(item.count)), el('span', { class: 'amount dim' }, share)];
  if (!choose || item.name === null) return el('div', { class: 'bar-line' }, parts);
  return el('button', { type: 'button', class: 'bar-line', title: `List only ${name}`, on: { click: () => choose(item.name) } }, parts);
}

/// Percentiles as bars on a logarithmic axis, since the slowest may take a thousand times longer.
export function percentileChart(title, pairs, text) {
  const known = pairs.filter(([, value]) => typeof value === 'number');
  const low = Math.log10(Math.max(1e-3, Math.min(...known.map(([, value]) => value || 1e-3)))) - 0.3;
  const high = Math.log10(Math.max(1e-2, ...known.map(([, value]) => value)));
  const lines = known.map(([name, value]) => {
    const share = (Math.log10(Math.max(1e-3, value)) - low) / Math.max(0.1, high - low);
    const track = svg('svg', { class: 'bar-track', width: '100%', height: 14, 'aria-hidden': 'true' });
    track.append(svg('rect', { class: 'bar', width: `${Math.max(0.5, 100 * share)}%`, height: 10, y: 2, rx: 2 }));
    return el('div', { class: 'bar-line' }, el('span', { class: 'name' }, name), track, el('span', { class: 'amount' }, text(value)));
  });
  return el('section', { class: 'chart', 'aria-label': title }, el('h3', {}, title), el('div', { class: 'bars' }, lines));
}

/// Columns over time, errors in front; a column calls `choose(start, end)` with two times as text.
/// Left and right move between columns, so that the chart is one stop of the Tab key.
export function timeChart(title, times, choose) {
  const intervals = times?.intervals ?? [];
  const most = Math.max(1, ...intervals.map((one) => one.count));
  const columns = intervals.map((one) => timeColumn(one, times.interval_ms, most, choose));
  const buttons = columns.filter((one) => one.localName === 'button');
  buttons.forEach((one, place) => (one.tabIndex = place === 0 ? 0 : -1));
  const move = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step && buttons[buttons.indexOf(document.activeElement) + step];
    if (!next) return;
    document.activeElement.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const axis = intervals.length === 0 ? 'none' : `${dateTime(intervals[0].at)} to ${dateTime(intervals.at(-1).at)}, ` +
    `${duration(times.interval_ms)} a column, at most ${count(most)}`;
  return el('section', { class: 'chart wide', 'aria-label': title }, el('h3', {}, title),
    el('div', { class: 'columns', on: { keydown: move } }, columns), el('p', { class: 'dim' }, axis));
}

function timeColumn(interval, milliseconds, most, choose) {
  const name = `${dateTime(interval.at)}: ${count(interval.count)}` + (interval.errors ? `, ${count(interval.errors)} errors` : '');
  const drawing = svg('svg', { viewBox: '0 0 1 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const column = (number, kind) => {
    const height = number === 0 ? 0 : Math.max(2, (100 * number) / most);
    drawing.append(svg('rect', { class: `bar ${kind}`, width: 1, height, y: 100 - height }));
  };
  column(interval.count, '');
  column(interval.errors, 'failed');
  if (interval.count === 0) return el('span', { class: 'column' }, drawing);
  const end = new Date(Date.parse(interval.at) + milliseconds).toISOString();
  return el('button', { type: 'button', class: 'column', title: name, 'aria-label': name, on: { click: () => choose(interval.at, end) } }, drawing);
}
