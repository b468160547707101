// The scroll position of a list of any length. Browsers cannot scroll further than some 16 million pixels, so
// a long list is scrolled on a shorter scale: small steps move by rows exactly, large ones by share.

const HEIGHT_MAX = 8_000_000;

export class ListScroll {
  /// The row at the upper edge, with the part of it that is above the edge.
  top = 0;
  #lastScrollTop = 0;
  #size = 0;

  constructor(scroller, spacer, rowHeight) {
    Object.assign(this, { scroller, spacer, rowHeight });
  }

  get visibleCount() {
    return this.scroller.clientHeight / this.rowHeight;
  }

  get topMax() {
    return Math.max(0, this.#size - this.visibleCount);
  }

  get isAtEnd() {
    return this.top >= this.topMax - 0.5;
  }

  get #scrollMax() {
    return this.scroller.scrollHeight - this.scroller.clientHeight;
  }

  get #isExact() {
    return this.#size * this.rowHeight <= HEIGHT_MAX;
  }

  setSize(size) {
    if (size === this.#size) return;
    this.#size = size;
    this.spacer.style.height = `${Math.min(HEIGHT_MAX, size * this.rowHeight)}px`;
    this.moveTo(this.top);
  }

  /// Moves so that a row is at the upper edge.
  moveTo(top) {
    this.top = Math.min(Math.max(0, top), this.topMax);
    const place = this.#isExact
      ? this.top * this.rowHeight
      : (this.top / Math.max(1, this.topMax)) * this.#scrollMax;
    this.scroller.scrollTop = place;
    this.#lastScrollTop = this.scroller.scrollTop;
  }

  /// Applies the user's scrolling; returns whether that moved anything.
  takeScroll() {
    const { scrollTop } = this.scroller;
    const step = scrollTop - this.#lastScrollTop;
    if (step === 0) return false;
    this.#lastScrollTop = scrollTop;
    if (this.#isExact) this.top = scrollTop / this.rowHeight;
    else if (scrollTop <= 0) this.top = 0;
    else if (scrollTop >= this.#scrollMax - 1) this.top = this.topMax;
    else if (Math.abs(step) < 3 * this.scroller.clientHeight) this.top += step / this.rowHeight;
    else this.top = (scrollTop / this.#scrollMax) * this.topMax;
    this.top = Math.min(Math.max(0, this.top), this.topMax);
    return true;
  }

  /// Moves as little as necessary to make a row visible.
  reveal(index) {
    const whole = Math.floor(this.visibleCount) - 1;
    if (index < this.top) this.moveTo(index);
    else if (index > this.top + whole) this.moveTo(index + 1 - this.visibleCount);
  }
}
