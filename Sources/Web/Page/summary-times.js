// The chart of exchanges over time: columns with axes. A column is read by pointer or arrow keys, and
// a range that is dragged, or chosen with Shift and arrow keys, narrows the filter.

import { el, setText, svg } from './dom.js';
import { count, counted, dateTime, duration } from './format.js';
import { niceStep } from './waterfall-scale.js';

const HEIGHT = 132;
const MARGIN = { top: 8, right: 8, bottom: 22, left: 48 };
const Y_TICKS = 4;
const X_TICK_GAP = 110;

/// The chart; `choose(start, end)` is called with two times as text.
export class TimeChart {
  intervals = [];
  step = 1000;
  /// The column that is read, and where a range of them began.
  #at = null;
  #from = null;
  #isDragging = false;

  constructor(choose) {
    this.choose = choose;
    this.reading = el('span', { class: 'dim note reading' });
    this.picture = svg('svg', { class: 'time-picture', height: HEIGHT, width: '100%', 'aria-hidden': 'true' });
    this.plot = el('div', {
      class: 'time-plot', role: 'slider', tabIndex: 0, 'aria-label': 'Time', 'aria-valuemin': '1',
      title: 'Drag over a time to narrow the filter to it',
      on: {
        keydown: (event) => this.#press(event), pointermove: (event) => this.#point(event), pointerleave: () => this.#leave(),
        pointerdown: (event) => this.#start(event), pointerup: () => this.#finish(), pointercancel: () => this.#cancel(), blur: () => this.#leave(),
      },
    }, this.picture);
    this.element = el('section', { class: 'chart wide', 'aria-label': 'Times' }, el('h3', {}, 'Exchanges over time', this.reading), this.plot);
    new ResizeObserver(() => this.#draw()).observe(this.plot);
  }

  /// Shows other numbers, unless a range of those that are shown is being dragged.
  update({ intervals, interval_ms: step }) {
    if (this.#isDragging) return;
    const moved = this.intervals[0]?.at !== intervals[0]?.at || this.step !== step;
    Object.assign(this, { intervals, step });
    if (moved) this.#at = this.#from = null;
    this.most = niceMost(Math.max(1, ...intervals.map((one) => one.count)));
    this.plot.setAttribute('aria-valuemax', String(Math.max(1, intervals.length)));
    this.#draw();
    this.#say();
  }

  get #width() {
    return this.plot.clientWidth - MARGIN.left - MARGIN.right;
  }

  get #columnWidth() {
    return this.#width / Math.max(1, this.intervals.length);
  }

  #startOf(index) {
    return Date.parse(this.intervals[0].at) + index * this.step;
  }

  // Drawing

  #draw() {
    if (this.#width <= 0 || this.intervals.length === 0) return;
    const bottom = HEIGHT - MARGIN.bottom;
    const y = (value) => bottom - (value / this.most) * (bottom - MARGIN.top);
    this.marker = svg('rect', { class: 'time-marker', y: MARGIN.top, height: bottom - MARGIN.top, width: 0 });
    this.picture.replaceChildren(...this.#yAxis(y), ...this.#xAxis(bottom), this.marker, ...this.intervals.flatMap((one, index) => this.#column(one, index, y)));
    this.#mark();
  }

  #yAxis(y) {
    const step = niceStep(this.most / Y_TICKS);
    const ticks = [];
    for (let value = 0; value <= this.most + 1e-9; value += Math.max(1, step)) {
      ticks.push(svg('line', { class: 'grid-line', x1: MARGIN.left, x2: this.plot.clientWidth - MARGIN.right, y1: y(value), y2: y(value) }),
        svg('text', { class: 'tick-text', x: MARGIN.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, count(value)));
    }
    return ticks;
  }

  #xAxis(bottom) {
    const length = this.intervals.length * this.step;
    // No finer than the columns.
    const step = Math.max(this.step, niceStep((length / this.#width) * X_TICK_GAP));
    const start = this.#startOf(0);
    const zone = new Date(start).getTimezoneOffset() * 60_000;
    const ticks = [];
    for (let moment = Math.ceil((start - zone) / step) * step + zone; moment <= start + length; moment += step) {
      const x = MARGIN.left + ((moment - start) / length) * this.#width;
      const anchor = x < MARGIN.left + 24 ? 'start' : x > MARGIN.left + this.#width - 24 ? 'end' : 'middle';
      ticks.push(svg('line', { class: 'tick-line', x1: x, x2: x, y1: bottom, y2: bottom + 4 }),
        svg('text', { class: 'tick-text', x, y: bottom + 17, 'text-anchor': anchor }, tickText(moment, step)));
    }
    return ticks;
  }

  #column({ count: number, errors }, index, y) {
    if (number === 0) return [];
    const width = Math.max(1, this.#columnWidth - (this.#columnWidth > 4 ? 1 : 0));
    const x = MARGIN.left + index * this.#columnWidth;
    const part = (from, to, kind) => svg('rect', { class: `time-bar ${kind}`, x, width, y: y(to), height: Math.max(from === 0 ? 1.5 : 0, y(from) - y(to)) });
    return [part(errors, number, ''), errors ? part(0, errors, 'failed') : null].filter(Boolean);
  }

  #mark() {
    if (!this.marker) return;
    const [first, last] = this.#range();
    this.marker.setAttribute('x', MARGIN.left + (first ?? 0) * this.#columnWidth);
    this.marker.setAttribute('width', this.#at === null ? 0 : (last - first + 1) * this.#columnWidth);
  }

  // Reading and choosing

  #range() {
    if (this.#at === null) return [null, null];
    const other = this.#from ?? this.#at;
    return [Math.min(this.#at, other), Math.max(this.#at, other)];
  }

  #move(index, isExtending) {
    if (this.intervals.length === 0) return;
    if (isExtending) this.#from ??= this.#at ?? index;
    else this.#from = null;
    this.#at = Math.min(this.intervals.length - 1, Math.max(0, index));
    this.#mark();
    this.#say();
  }

  #say() {
    const words = this.#at === null ? this.#usual() : this.#words();
    setText(this.reading, words);
    this.plot.setAttribute('aria-valuenow', String((this.#at ?? 0) + 1));
    this.plot.setAttribute('aria-valuetext', words);
  }

  #usual() {
    return this.intervals.length ? `${duration(this.step)} a column` : 'none';
  }

  #words() {
    const [first, last] = this.#range();
    const sum = (name) => this.intervals.slice(first, last + 1).reduce((all, one) => all + one[name], 0);
    const errors = sum('errors');
    const end = new Date(this.#startOf(last + 1)).toISOString();
    const times = `${dateTime(this.intervals[first].at)} – ${dateTime(end).split(' ').at(-1)}`;
    return [times, counted(sum('count'), 'exchange'), errors ? counted(errors, 'error') : ''].filter(Boolean).join(' · ');
  }

  #chooseNow() {
    const [first, last] = this.#range();
    if (first === null) return;
    this.choose(new Date(this.#startOf(first)).toISOString(), new Date(this.#startOf(last + 1)).toISOString());
  }

  #press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const here = this.#at ?? -1;
    const places = { ArrowRight: here + 1, ArrowLeft: here - 1, PageDown: here + 10, PageUp: here - 10, Home: 0, End: this.intervals.length - 1 };
    if (event.key === 'Enter') this.#chooseNow();
    else if (event.key in places) this.#move(places[event.key], event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #indexAt({ clientX }) {
    const x = clientX - this.plot.getBoundingClientRect().left - MARGIN.left;
    return Math.floor(x / this.#columnWidth);
  }

  #point(event) {
    if (event.pointerType === 'touch' && !this.#isDragging) return;
    this.#move(this.#indexAt(event), this.#isDragging);
  }

  #start(event) {
    if (event.button !== 0 || this.intervals.length === 0) return;
    this.plot.setPointerCapture(event.pointerId);
    this.#move(this.#indexAt(event), false);
    this.#isDragging = true;
  }

  #finish() {
    if (!this.#isDragging) return;
    this.#isDragging = false;
    this.#chooseNow();
  }

  #cancel() {
    this.#isDragging = false;
    this.#leave();
  }

  #leave() {
    if (this.#isDragging) return;
    this.#at = this.#from = null;
    this.#mark();
    this.#say();
  }
}

/// The upper end of the axis: the next tick above the highest column.
function niceMost(most) {
  const step = Math.max(1, niceStep(most / Y_TICKS));
  return Math.ceil(most / step) * step;
}

/// The time of a tick, as exact as the distance of ticks needs.
function tickText(moment, step) {
  const [day, clock] = dateTime(new Date(moment).toISOString()).split(' ');
  if (step >= 864e5) return day;
  if (step < 1000) return `${clock}.${String(moment % 1000).padStart(3, '0')}`;
  return step >= 6e4 ? clock.slice(0, 5) : clock;
}
