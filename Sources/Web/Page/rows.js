// The rows of the list, read in pages by key. One contiguous window of rows is kept; where it
// stands among all rows is exact at the ends, and otherwise a guess for the scroll bar only.

import { json } from './api.js';
import { count as countText } from './format.js';
import { pageOf } from './row-pages.js';

const WINDOW_MAX = 2400;
const JUMP = 600;
/// A page that is read without others around it: what the largest screens show.
const FIRST = 100;
/// How many rows at the end are read again: exchanges arrive in another order than they started,
/// above all from several machines.
const LATE = 200;

/// Tells `rows` when rows have come or changed, `reset` when others took their place, `problem`
/// if they could not be read.
export class RowSource extends EventTarget {
  filter = '';
  sort = null;
  /// The number of rows that pass the filter, as far as it is known.
  count = 0;
  countIsKnown = false;
  rows = [];
  /// The place of the first row of the window.
  first = 0;
  #atStart = false;
  #atEnd = false;
  #wanted = null;
  #isLoading = false;
  #isRefreshing = false;
  /// The refresh that was asked for during another one.
  #waiting = null;
  #abort = new AbortController();
  /// Fulfilled when the rows of the last reset have arrived, or could not be read.
  ready = Promise.resolve();

  /// Reads other rows, from the start or the end of the list.
  async reset(filter, sort, place = sort ? 'top' : 'bottom') {
    this.#abort.abort();
    this.#abort = new AbortController();
    Object.assign(this, { filter, sort, countIsKnown: false });
    this.#wanted = null;
    this.#isLoading = false;
    const { signal } = this.#abort;
    this.dispatchEvent(new Event('loading'));
    // The rows come first: counting may take longer than they do.
    this.ready = this.#readFirst(place, signal);
    if (await this.ready) await this.#readCount(signal);
  }

  async #readFirst(place, signal) {
    try {
      const rows = await pageOf(this, { [place]: true, limit: FIRST }, signal);
      this.#take(rows, place);
      this.dispatchEvent(new Event('reset'));
      return true;
    } catch (problem) {
      this.#fail(problem);
      return false;
    }
  }

  get last() {
    return this.first + this.rows.length;
  }

  /// How many rows can be scrolled through. A sorted list grows as it is read, since the server
  /// cannot go to the middle of it by a key.
  get size() {
    const known = Math.max(this.count, this.last);
    return this.sort && !this.#atEnd ? Math.min(known, this.last + 100) : known;
  }

  get isAtEnd() {
    return this.#atEnd;
  }

  row(index) {
    return this.rows[index - this.first];
  }

  indexOf(id) {
    const index = this.rows.findIndex((row) => row.id === id);
    return index < 0 ? -1 : this.first + index;
  }

  /// Says which rows are visible, so that they are read.
  need(from, to) {
    this.#wanted = { from: Math.max(0, from), to: Math.min(to, this.size) };
    if (!this.#isLoading) this.#load();
  }

  /// Reads what changed: new rows at the end, and the visible rows again. What changes while that
  /// is being read is read after it.
  async refresh(from, to, total) {
    if (this.#isRefreshing) {
      this.#waiting = [from, to, total];
      return;
    }
    this.#isRefreshing = true;
    const { signal } = this.#abort;
    try {
      await this.#appendNew(signal);
      await this.#readAgain(from, to, signal);
      if (this.filter || total === null) await this.#readCount(signal);
      else this.#setCount(total);
    } catch (problem) {
      this.#fail(problem);
    } finally {
      this.#isRefreshing = false;
    }
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) await this.refresh(...waiting);
  }

  async #load() {
    const step = this.#nextStep();
    if (!step) return;
    this.#isLoading = true;
    const { signal } = this.#abort;
    try {
      const rows = await pageOf(this, { ...step, limit: step.after || step.before ? 300 : FIRST }, signal);
      if (step.after) this.#append(rows, rows.length < 300);
      else if (step.before) this.#prepend(rows, rows.length < 300);
      else this.#take(rows, step.top ? 'top' : step.bottom ? 'bottom' : step.jump);
      this.dispatchEvent(new Event('rows'));
    } catch (problem) {
      this.#fail(problem);
      if (problem.name !== 'AbortError') this.#wanted = null;
    }
    if (signal.aborted) return;
    this.#isLoading = false;
    if (this.#wanted) this.#load();
  }

  #nextStep() {
    if (!this.#wanted || this.rows.length === 0) return null;
    const { from, to } = this.#wanted;
    if (to > this.last && !this.#atEnd) {
      if (from - this.last < JUMP) return { after: this.rows.at(-1).position };
      return this.#jump(from, to);
    }
    if (from < this.first && !this.#atStart) {
      if (this.first - to < JUMP) return { before: this.rows[0].position };
      return this.#jump(from, to);
    }
    return null;
  }

  #jump(from, to) {
    if (to >= this.count) return { bottom: true };
    if (from <= 0) return { top: true };
    if (this.sort) return from < this.first ? { top: true } : { after: this.rows.at(-1).position };
    return { jump: from, share: from / this.count };
  }

  #take(rows, place) {
    this.rows = rows;
    const isWhole = rows.length < FIRST;
    this.#atStart = place === 'top' || (place === 'bottom' && isWhole);
    this.#atEnd = place === 'bottom' || (place === 'top' && isWhole);
    if (isWhole && (this.#atStart || place === 'bottom')) this.count = rows.length;
    this.count = Math.max(this.count, rows.length);
    if (this.#atStart) this.first = 0;
    else if (this.#atEnd) this.first = this.count - rows.length;
    else this.first = Math.min(place, Math.max(0, this.count - rows.length));
  }

  #append(rows, isLast) {
    this.rows.push(...rows);
    this.#atEnd = isLast;
    const surplus = this.rows.length - WINDOW_MAX;
    if (surplus > 0) {
      this.rows.splice(0, surplus);
      this.first += surplus;
      this.#atStart = false;
    }
    this.#correct();
  }

  #prepend(rows, isFirst) {
    this.rows.unshift(...rows);
    this.first -= rows.length;
    this.#atStart = isFirst;
    if (this.rows.length > WINDOW_MAX) {
      this.rows.length = WINDOW_MAX;
      this.#atEnd = false;
    }
    this.#correct();
  }

  /// Corrects the guess of the window's place once one of its ends is the end of the list.
  #correct() {
    let shift = 0;
    if (this.#atStart) shift = -this.first;
    else if (this.#atEnd && this.countIsKnown) shift = this.count - this.last;
    else if (this.first < 0) shift = -this.first;
    if (!shift) return;
    this.first += shift;
    if (this.#wanted) {
      this.#wanted = { from: this.#wanted.from + shift, to: this.#wanted.to + shift };
    }
    this.dispatchEvent(new CustomEvent('shift', { detail: shift }));
  }

  async #appendNew(signal) {
    if (this.sort) return;
    if (this.rows.length === 0) {
      this.#take(await pageOf(this, { bottom: true, limit: FIRST }, signal), 'bottom');
    } else if (this.#atEnd) {
      if (!(await this.#readEnd(signal))) return;
    } else {
      return;
    }
    this.dispatchEvent(new Event('rows'));
  }

  /// Reads the last rows again, with new ones after or between them; returns whether there are any.
  async #readEnd(signal) {
    const anchor = this.rows[Math.max(this.#atStart ? -1 : 0, this.rows.length - LATE - 1)];
    const place = anchor ? { after: anchor.position } : { top: true };
    const rows = await pageOf(this, { ...place, limit: 500 }, signal);
    // Other pages may have arrived in the meantime.
    const kept = anchor ? this.rows.findIndex((row) => row.id === anchor.id) + 1 : 0;
    if (anchor ? !kept : !this.#atStart) return false;
    const former = new Set(this.rows.slice(kept).map((row) => row.id));
    const fresh = rows.filter((row) => !former.has(row.id)).length;
    if (!fresh) return false;
    this.count += fresh;
    this.rows.length = kept;
    this.#append(rows, rows.length < 500);
    return true;
  }

  async #readAgain(from, to, signal) {
    const start = Math.max(from, this.first);
    const old = this.rows.slice(start - this.first, Math.max(0, to - this.first));
    if (old.length === 0) return;
    const before = this.row(start - 1);
    const place = before ? { after: before.position } : { top: true };
    if (!before && !this.#atStart) return;
    const rows = await pageOf(this, { ...place, limit: Math.min(500, old.length + LATE) }, signal);
    const end = rows.findIndex((row) => row.id === old.at(-1).id);
    if (end < 0) return void this.#replaceAll(before);
    const index = this.rows.findIndex((row) => row.id === old[0].id);
    if (index < 0 || this.rows[index + old.length - 1]?.id !== old.at(-1).id) return;
    // Rows may have been added or removed between the others.
    this.rows.splice(index, old.length, ...rows.slice(0, end + 1));
    this.count += end + 1 - old.length;
    this.dispatchEvent(new Event('rows'));
  }

  /// Rows were deleted, or sorted elsewhere: reads everything again.
  #replaceAll(before) {
    const place = this.sort || !before ? 'top' : 'bottom';
    this.reset(this.filter, this.sort, place);
  }

  async #readCount(signal) {
    try {
      const { count } = await json('/count', { query: { filter: this.filter }, signal });
      this.#setCount(count);
    } catch (problem) {
      if (problem.status === 0) this.#fail(problem);
    }
  }

  #setCount(count) {
    const isNews = count !== this.count || !this.countIsKnown;
    this.count = count;
    this.countIsKnown = true;
    if (this.#atEnd && !this.#atStart) this.#correct();
    if (isNews) this.dispatchEvent(new Event('rows'));
  }

  #fail(problem) {
    if (problem.name === 'AbortError') return;
    this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
  }

  get countLabel() {
    return this.countIsKnown ? countText(this.count) : '…';
  }
}
