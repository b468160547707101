// The column of the waterfall: each visible row as a bar on one axis of time.

import { el } from './dom.js';
import { duration } from './format.js';

/// Takes nearly half of the list.
export const WATERFALL = { name: 'waterfall', title: 'Waterfall', width: 0, track: '45%', rank: 0, text: () => '' };

/// The axis of rows: from the first start to the last end, in milliseconds. One row that takes far
/// longer than all others does not squeeze them; its bar then ends at the edge.
export function timeScale(rows) {
  const known = rows.filter(Boolean);
  if (known.length === 0) return null;
  const starts = known.map((row) => Date.parse(row.started_at));
  const start = Math.min(...starts);
  const ends = known.map((row, index) => starts[index] + spanOf(row)).sort((a, b) => a - b);
  const usual = ends[Math.floor((ends.length - 1) * 0.9)];
  const end = Math.max(Math.min(ends.at(-1), start + (usual - start) * 1.6), Math.max(...starts));
  return { start, length: Math.max(1, end - start) };
}

/// How long a row's bar is, in milliseconds: the time in holds is not part of its duration.
function spanOf(row) {
  return (row.duration_ms ?? 0) + (row.held_ms ?? 0);
}

/// Draws a row's bar into a cell.
export function drawBar(cell, row, scale) {
  if (!cell.firstChild) cell.append(el('span', { class: 'bar' }), el('span', { class: 'bar-text' }));
  const [bar, label] = cell.children;
  bar.hidden = label.hidden = !row || !scale;
  if (bar.hidden) return;
  const left = ((Date.parse(row.started_at) - scale.start) / scale.length) * 100;
  const width = (spanOf(row) / scale.length) * 100;
  const isCut = left + width > 100.5;
  bar.style.left = `${Math.max(0, Math.min(99, left))}%`;
  bar.style.width = `max(2px, ${Math.min(width, 100 - left)}%)`;
  bar.classList.toggle('cut', isCut);
  label.textContent = `${duration(row.duration_ms)}${isCut ? ' ▸' : ''}`;
  const onLeft = left > 60;
  label.style.left = onLeft ? '' : `calc(${Math.min(100, left + width)}% + 6px)`;
  label.style.right = onLeft ? `calc(${100 - left}% + 6px)` : '';
}
