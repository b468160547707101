// The bar of a row: one element, whose background has the phases.

import { el, setText, visible } from './dom.js';
import { duration } from './format.js';
import { PHASES } from './waterfall-phases.js';
import { spanOf } from './waterfall-scale.js';

const WIDTH_MIN = 4;
/// How wide a character of the text beside a bar is, about.
const CHARACTER = 6.5;
/// On a narrower axis, only the tooltip says how long an exchange was held.
const HELD_ROOM = 300;

/// Draws a row into a cell, with its phases if they are known.
export function drawBar(cell, row, scale, phases) {
  if (!cell.firstChild) cell.append(el('span', { class: 'phase-bar' }), el('span', { class: 'phase-text' }));
  const [bar, label] = cell.children;
  bar.hidden = label.hidden = !row || !scale;
  if (bar.hidden) return;
  const { start, end } = spanOf(row);
  const [left, right] = [scale.position(start), scale.position(end)];
  const place = placeOf(left, right, scale);
  setStyle(bar, 'transform', `translateX(${place.left.toFixed(1)}px)`);
  setStyle(bar, 'width', `${(place.right - place.left).toFixed(1)}px`);
  setStyle(bar, 'background-image', phases?.length ? gradient(phases, start, place, scale) : 'none');
  placeLabel(label, labelOf(row, left, right, scale, end), place, scale);
  describe(cell, row, phases);
}

/// The visible part of a bar, which is never too narrow to see.
function placeOf(left, right, scale) {
  const from = Math.min(Math.max(left, scale.left), scale.right - WIDTH_MIN);
  const to = Math.max(Math.min(right, scale.right), from + WIDTH_MIN);
  const isOutside = right < scale.left || left > scale.right;
  return isOutside ? { left: from, right: from, isBefore: right < scale.left } : { left: from, right: to };
}

function labelOf(row, left, right, scale, end) {
  if (right < scale.left) return '◂';
  if (left > scale.right) return '▸';
  const hasRoom = scale.right - scale.left > HELD_ROOM;
  const held = row.held_ms && hasRoom ? ` + ${duration(row.held_ms)} held` : '';
  const text = row.duration_ms === null ? '…' : `${duration(row.duration_ms)}${held}`;
  return right > scale.right + 1 || scale.isFolded(end) ? `${text} ▸` : text;
}

/// Beside the bar: after it if there is room, otherwise before it, otherwise on it.
function placeLabel(label, text, place, scale) {
  setText(label, text);
  const width = text.length * CHARACTER;
  const [after, before] = [place.right + 6, place.left - 6 - width];
  const isOn = after + width > scale.right + 8 && before < scale.left - 8;
  const left = isOn ? place.left + 4 : after + width <= scale.right + 8 ? after : before;
  setStyle(label, 'transform', `translateX(${Math.round(left)}px)`);
  label.classList.toggle('on-bar', isOn);
}

/// The phases as a background. A bar that is too narrow for them has the longest one.
function gradient(phases, start, place, scale) {
  const parts = phases.map((phase) => ({
    ...phase, left: scale.position(start + phase.start) - place.left, right: scale.position(start + phase.end) - place.left,
  }));
  if (parts.at(-1).right - parts[0].left <= WIDTH_MIN) {
    const longest = phases.reduce((best, phase) => (phase.end - phase.start > best.end - best.start ? phase : best));
    return `linear-gradient(var(--phase-${longest.name}) 0 100%)`;
  }
  const stops = parts.map(({ name, left, right }) => `var(--phase-${name}) ${left.toFixed(1)}px ${right.toFixed(1)}px`);
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

/// What the bar shows, in words: for the pointer and for screen readers.
function describe(cell, row, phases) {
  if (cell.described === phases && cell.describedRow === row) return;
  Object.assign(cell, { described: phases, describedRow: row });
  const lengths = new Map();
  for (const { name, start, end } of phases ?? []) lengths.set(name, (lengths.get(name) ?? 0) + end - start);
  const lines = PHASES.filter(([name]) => lengths.has(name)).map(([name, title]) => `${title} ${duration(lengths.get(name))}`);
  const total = row.duration_ms === null ? 'not ended' : `${duration(row.duration_ms)} in all`;
  cell.title = visible([total, ...lines].join('\n'));
  cell.ariaLabel = visible([total, ...lines].join(', '));
}

function setStyle(element, name, value) {
  const kept = (element.kept ??= {});
  if (kept[name] === value) return;
  kept[name] = value;
  element.style.setProperty(name, value);
}
