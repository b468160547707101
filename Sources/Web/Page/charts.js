// Lines with counts: each has its share as a bar behind it, and its numbers as text, so that it can
// be read without colours.

import { button, el } from './dom.js';
import { count } from './format.js';

const LINES_MAX = 8;

/// A part of the summary with a heading.
export function panel(title, content, { note = '', className = '' } = {}) {
  return el('section', { class: `chart ${className}`, 'aria-label': title },
    el('h3', {}, title, note ? el('span', { class: 'dim note' }, note) : null), content);
}

/// Names with counts, the most frequent first. `choose(name)` is called for a line; `kindOf(name)`
/// is its colour, `errorsOf(item)` how many of it failed.
export function countPanel(title, items, {
  choose, kindOf = () => '', errorsOf = () => 0, nameOf = (name) => String(name ?? 'none'), canChoose = (name) => name !== null, note = '',
}) {
  const total = items.reduce((sum, item) => sum + item.count, 0) || 1;
  const sorted = [...items].sort((a, b) => b.count - a.count);
  const most = sorted[0]?.count ?? 1;
  const lineOf = (item) => {
    const name = nameOf(item.name);
    const errors = errorsOf(item);
    const parts = [
      el('span', { class: 'name', title: name }, name), errors ? el('span', { class: 'bad amount' }, `✕ ${count(errors)}`) : null,
      el('span', { class: 'amount' }, count(item.count)), el('span', { class: 'amount dim share' }, shareText(item.count, total)),
    ];
    const run = canChoose(item.name) ? () => choose(item.name) : null;
    return chartLine(parts, { share: item.count / most, kind: kindOf(item.name), run, title: `List only ${name}` });
  };
  const lines = sorted.slice(0, LINES_MAX).map(lineOf);
  const list = el('div', { class: 'chart-lines' }, lines);
  const rest = sorted.slice(LINES_MAX);
  if (rest.length) {
    const more = button(`${count(rest.length)} more`, () => more.replaceWith(...rest.map(lineOf)), { class: 'quiet more-lines' });
    list.append(more);
  }
  return panel(title, list, { note });
}

/// One line with a bar behind it; a button if `run` is given.
export function chartLine(parts, { share = 0, kind = '', run = null, title = '' }) {
  const line = run
    ? el('button', { type: 'button', class: `chart-line ${kind}`, title, on: { click: run } }, parts)
    : el('div', { class: `chart-line ${kind}` }, parts);
  line.style.setProperty('--share', `${(100 * share).toFixed(2)}%`);
  return line;
}

function shareText(part, total) {
  const share = (100 * part) / total;
  return share >= 99.95 ? '100 %' : share < 0.05 ? '<0.1 %' : `${share.toFixed(1)} %`;
}
