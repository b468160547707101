// The waterfall: the visible rows as bars on one axis of time. It keeps the axis while rows scroll,
// and the period that was chosen.

import { throttled } from './dom.js';
import { WaterfallAxis } from './waterfall-axis.js';
import { drawBar } from './waterfall-bars.js';
import { Phases } from './waterfall-phases.js';
import { TimeScale, spanOf } from './waterfall-scale.js';
import { waterfallTools } from './waterfall-tools.js';

const MARGIN = 8;

export class WaterfallChart {
  /// The chosen period, or null for all of the time.
  #range = null;
  /// Whether rows that take far longer than the others are shown to their ends.
  #isWhole = false;
  #rows = [];
  #scale = null;

  /// `changed()` is called when the rows have to be drawn again.
  constructor(list, changed) {
    this.list = list;
    this.changed = changed;
    this.changedLater = throttled(changed, 1000);
    this.phases = new Phases(changed);
    this.axis = new WaterfallAxis(list.body, { choose: (from, to) => this.#choose(from, to), showAll: () => this.showAll(), resized: changed });
    this.tools = waterfallTools(this);
  }

  placeAxis(cell) {
    this.axis.placeIn(cell);
  }

  /// The axis for the visible rows.
  scaleOf(rows) {
    if (rows.length === 0 || this.axis.width <= 0) return null;
    this.phases.want(rows);
    if (rows.some((row) => row.state === 'active')) this.changedLater();
    this.#rows = rows;
    this.#measure();
    this.axis.draw(this.#scale, this.list.scroller.clientHeight);
    this.tools.show({ isZoomed: this.#range !== null, isClipped: this.#scale.isClipped });
    return this.#scale;
  }

  #measure() {
    const width = Math.max(1, this.axis.width - 2 * MARGIN);
    this.#scale = new TimeScale(this.#rows, { left: MARGIN, width, range: this.#range, isWhole: this.#isWhole });
  }

  drawBar(cell, row, scale) {
    drawBar(cell, row, scale, row ? this.phases.of(row) : null);
  }

  /// Scales the axis around the selected row, or around its middle.
  zoom(factor) {
    const scale = this.#scale;
    if (!scale) return;
    const row = this.list.selectedRow;
    const wanted = row ? scale.position(spanOf(row).start) : NaN;
    const isInside = wanted >= scale.left && wanted <= scale.right;
    const around = isInside ? wanted : (scale.left + scale.right) / 2;
    const at = (edge) => scale.moment(around + (edge - around) * factor);
    this.#choose(at(scale.left), at(scale.right));
  }

  /// Moves the axis by a share of its length.
  pan(share) {
    const scale = this.#scale;
    if (!scale || !this.#range) return;
    const step = share * (scale.right - scale.left);
    this.#choose(scale.moment(scale.left + step), scale.moment(scale.right + step));
  }

  /// Shows all of the time; if it is shown already, with or without the ends of the longest rows.
  showAll() {
    if (!this.#range) this.#isWhole = !this.#isWhole;
    this.#range = null;
    this.changed();
  }

  #choose(start, end) {
    const { whole } = this.#scale;
    const containsAll = start <= whole.start && end >= whole.end;
    this.#range = containsAll ? null : { start, end: Math.max(end, start + 0.01) };
    // Another key may come before the next frame.
    this.#measure();
    this.changed();
  }
}
