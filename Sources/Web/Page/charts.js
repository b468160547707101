// Charts as SVG. Each has a text beside its bars, so that it can be read without colours.

import { el, svg } from './dom.js';
import { count } from './format.js';

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
