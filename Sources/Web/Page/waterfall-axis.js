// The heading of the waterfall's column: the axis with its ticks, and the lines below them. Dragging
// over it chooses a period.

import { el } from './dom.js';
import { duration, time } from './format.js';

const CHARACTER = 6.5;
/// A shorter movement is a click.
const DRAG_MIN = 5;

export class WaterfallAxis {
  width = 0;
  #scale = null;
  #drawn = '';

  /// `choose(from, to)` is called with a period that was dragged, `showAll()` on a double click,
  /// `resized()` when there is more or less room.
  constructor(body, { choose, showAll, resized }) {
    Object.assign(this, { body, choose, resized });
    this.band = el('span', { class: 'axis-band', hidden: true });
    this.ticks = el('span', { class: 'axis-ticks' });
    this.element = el('div', {
      class: 'axis', title: 'Drag to zoom in; double-click to show all of the time',
      on: { pointerdown: (event) => this.#drag(event), dblclick: showAll },
    }, this.ticks, this.band);
    this.lines = el('div', { class: 'axis-lines', 'aria-hidden': 'true' });
    new ResizeObserver(([entry]) => this.#resize(entry.contentRect.width)).observe(this.element);
  }

  placeIn(cell) {
    cell.setAttribute('aria-label', 'Waterfall');
    cell.append(this.element);
  }

  /// The width is read when it changes: reading it with each frame would lay the page out again.
  #resize(width) {
    if (width <= 0 || width === this.width) return;
    this.width = width;
    this.resized();
  }

  draw(scale, height) {
    this.#scale = scale;
    if (!this.lines.isConnected) this.body.append(this.lines);
    const ticks = labelled(scale.ticks(), scale.right);
    const places = [...ticks.map((tick) => `${tick.position} ${tick.text}`), ...scale.folds.map((fold) => `${fold.left} ${fold.length}`)];
    const key = [height, this.width, ...places].join('|');
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.ticks.replaceChildren(...scale.folds.map(foldSign), ...ticks.filter((tick) => tick.text).map(label));
    this.lines.replaceChildren(
      ...ticks.map((tick) => at(el('span', { class: 'axis-line' }), tick.position)),
      ...scale.folds.map((fold) => band(el('span', { class: 'axis-fold' }), fold)));
    this.lines.style.setProperty('width', `${this.width}px`);
    this.lines.style.setProperty('height', `${height}px`);
  }

  #drag(down) {
    if (!this.#scale || down.button !== 0) return;
    down.preventDefault();
    const { element, band: shown } = this;
    element.setPointerCapture(down.pointerId);
    const edge = element.getBoundingClientRect().left;
    const start = down.clientX - edge;
    const ends = (event) => {
      const other = Math.min(this.#scale.right, Math.max(this.#scale.left, event.clientX - edge));
      return [Math.min(start, other), Math.max(start, other)];
    };
    element.onpointermove = (event) => {
      const [left, right] = ends(event);
      shown.hidden = false;
      band(shown, { left, width: right - left });
    };
    const stop = () => {
      element.onpointermove = element.onpointerup = element.onpointercancel = null;
      shown.hidden = true;
    };
    element.onpointercancel = stop;
    element.onpointerup = (event) => {
      const [left, right] = ends(event);
      stop();
      if (right - left >= DRAG_MIN) this.choose(this.#scale.moment(left), this.#scale.moment(right));
    };
  }
}

/// Ticks with texts, except where they would be over each other.
function labelled(ticks, right) {
  let free = 0;
  return ticks.map((tick, index) => {
    const clock = time(new Date(tick.moment).toISOString());
    // The day is said once.
    const text = tick.offset > 0 ? `+${duration(tick.offset)}` : index === 0 ? clock : clock.split(' ').at(-1);
    const end = tick.position + text.length * CHARACTER + 10;
    if (tick.position < free || end > right + 12) return tick;
    free = end;
    return { ...tick, text };
  });
}

function label({ position, offset, text }) {
  return at(el('span', { class: offset === 0 ? 'tick start' : 'tick' }, text), position);
}

function foldSign(fold) {
  return band(el('span', { class: 'fold-sign', title: `${duration(fold.length)} without an exchange` }), fold);
}

function at(element, position) {
  element.style.setProperty('left', `${position}px`);
  return element;
}

function band(element, { left, width }) {
  element.style.setProperty('width', `${width}px`);
  return at(element, left);
}
