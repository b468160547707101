// The visible rows of the list: a pool of elements that are filled again while scrolling.

import { grpcStatusText } from './codes.js';
import { signsMeaning, signsOf } from './columns.js';
import { el, setText, visible } from './dom.js';
import { counted, hostText, outcome, outcomeText } from './format.js';
import { icon } from './icons.js';
import { state } from './state.js';
import { drawBar } from './waterfall.js';

/// Draws rows into `body`. Each element keeps its place in the pool, and only what differs from
/// before is changed.
export class ListRows {
  #pool = [];
  #columns = [];
  #hasHost = true;

  constructor(body) {
    this.body = body;
  }

  /// Sets other columns; all elements are created again.
  setColumns(columns) {
    this.#columns = columns;
    this.#hasHost = columns.some((column) => column.name === 'host');
    this.#pool = [];
    this.body.replaceChildren();
  }

  /// Draws the rows `from..<to` of a source, the first one `offset` pixels below the top.
  draw({ source, from, to, offset, rowHeight, selected, scale }) {
    this.#resize(to - from);
    for (let slot = 0; slot < to - from; slot += 1) {
      // An index keeps its element while scrolling, so that elements move in place of texts.
      const element = this.#pool[(from + slot) % this.#pool.length];
      const y = offset + slot * rowHeight;
      element.style.transform = `translateY(${y}px)`;
      this.#fill(element, from + slot, source.row(from + slot), from + slot === selected, scale);
    }
  }

  #resize(count) {
    while (this.#pool.length < count) {
      const cells = this.#columns.map((column) => el('div', { class: `cell ${column.name}`, role: 'gridcell' }));
      const element = el('div', { class: 'row', role: 'row' }, cells);
      this.#pool.push(element);
      this.body.append(element);
    }
    while (this.#pool.length > count) this.#pool.pop().remove();
  }

  #fill(element, index, row, isSelected, scale) {
    const rowIndex = String(index + 2);
    if (element.getAttribute('aria-rowindex') !== rowIndex) {
      element.setAttribute('aria-rowindex', rowIndex);
      element.id = `row-${index}`;
      element.index = index;
    }
    const isMarked = row ? state.marks.has(row.id) : false;
    const isOpen = row ? row.id === state.openId : false;
    const kind = row ? outcome(row) : 'missing';
    const names = ['row', kind, isSelected && 'selected', isMarked && 'marked', isOpen && 'open'];
    const className = names.filter(Boolean).join(' ');
    if (element.className !== className) element.className = className;
    element.setAttribute('aria-selected', String(isSelected));
    if (!element.captured || element.captured !== row || element.wasMarked !== isMarked) this.#fillCells(element, row, isMarked);
    const place = scale ? this.#columns.findIndex((column) => column.name === 'waterfall') : -1;
    if (place >= 0) drawBar(element.children[place], row, scale);
  }

  #fillCells(element, row, isMarked) {
    this.#columns.forEach((column, place) => {
      const cell = element.children[place];
      if (column.name === 'waterfall') return;
      if (column.name === 'signs') return drawSigns(cell, row, isMarked);
      let text = row ? column.text(row) : '';
      // Without a column for it, the host precedes the path.
      if (column.name === 'path') text = row ? (this.#hasHost ? text : hostText(row) + text) : '…';
      setText(cell, text);
      if (column.name === 'path' || column.name === 'host') cell.title = visible(row?.url ?? '');
      if (column.name === 'status') nameStatus(cell, row);
    });
    element.captured = row ?? null;
    element.wasMarked = isMarked;
  }
}

function drawSigns(cell, row, isMarked) {
  const signs = row ? signsOf(row) : [];
  const key = `${isMarked} ${signs}`;
  const meaning = visible([isMarked && 'marked', row && signsMeaning(row)].filter(Boolean).join('; '));
  if (cell.title !== meaning) cell.title = meaning;
  if (cell.ariaLabel !== (meaning || null)) cell.ariaLabel = meaning || null;
  if (cell.drawn === key) return;
  cell.drawn = key;
  cell.replaceChildren(...(isMarked ? [el('span', { class: 'mark-sign' })] : []), ...signs.map((name) => icon(name, 13)));
}

/// The shape before a status means nothing to a screen reader.
function nameStatus(cell, row) {
  const words = row ? visible([row.status, outcomeText(row)].filter(Boolean).join(', ')) : '';
  if (cell.ariaLabel !== (words || null)) cell.ariaLabel = words || null;
  const title = visible(row?.grpc_status ? `gRPC status ${grpcStatusText(row.grpc_status)}` : (row?.error ?? row?.reason ?? ''));
  if (cell.title !== title) cell.title = title;
}

/// What a screen reader says when the selection moves.
export function rowLabel(row) {
  if (!row) return 'not read yet';
  const grpc = row.grpc_status ? `gRPC status ${grpcStatusText(row.grpc_status)}` : '';
  const status = [row.status, outcomeText(row), grpc, row.error].filter(Boolean).join(', ') || row.state;
  const messages = row.messages ? `, ${counted(row.messages, 'message')}` : '';
  return `${row.method} ${row.url}, ${status}${messages}`;
}
