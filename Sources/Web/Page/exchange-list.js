// <exchange-list>: the list of exchanges, as long as the store.

import { ColumnChoice } from './columns.js';
import { el, setText, throttled } from './dom.js';
import { listMessage } from './first-steps.js';
import { icon } from './icons.js';
import { headings } from './list-headings.js';
import { ListRows, rowLabel } from './list-rows.js';
import { ListScroll } from './list-scroll.js';
import { RowSource } from './rows.js';
import { state } from './state.js';
import { WATERFALL, timeScale } from './waterfall.js';
import { count } from './format.js';

/// Fingers need more room; the same as --row.
const ROW_HEIGHT = matchMedia('(pointer: coarse)').matches ? 36 : 24;
const MARGIN = 40;

class ExchangeList extends HTMLElement {
  source = new RowSource();
  choice = new ColumnChoice();
  selected = -1;
  #frame = 0;
  #newCount = 0;
  #isLoading = false;
  /// Why the rows could not be read, or null.
  #problem = null;

  connectedCallback() {
    if (this.scroller) return;
    this.#build();
    this.#listen();
    new ResizeObserver(() => this.layOut()).observe(this);
    this.layOut();
    this.source.reset(state.filter, state.sort);
  }

  get selectedRow() {
    return this.source.row(this.selected) ?? null;
  }

  #build() {
    this.head = el('div', { class: 'list-head', role: 'rowgroup' });
    this.body = el('div', { class: 'list-body', role: 'presentation' });
    this.spacer = el('div', { class: 'spacer', role: 'presentation' });
    this.scroller = el('div', { class: 'scroller', role: 'rowgroup', tabIndex: 0, 'aria-label': 'Rows' }, this.spacer, this.body);
    this.grid = el('div', {
      class: 'grid', role: 'grid', tabIndex: 0, 'aria-label': 'Exchanges', 'aria-multiselectable': 'true',
    }, this.head, this.scroller, el('div', { class: 'progress', role: 'presentation' }));
    this.more = el('button', { type: 'button', class: 'more primary', hidden: true, on: { click: () => state.set('isFollowing', true) } });
    this.message = el('div', { class: 'list-message', hidden: true });
    this.spoken = el('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
    this.append(this.grid, this.more, this.message, this.spoken);
    this.rows = new ListRows(this.body);
    this.scroll = new ListScroll(this.scroller, this.spacer, ROW_HEIGHT);
  }

  #listen() {
    this.scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.body.addEventListener('click', (event) => this.#click(event));
    this.source.addEventListener('rows', () => this.#rowsCame());
    this.source.addEventListener('reset', () => this.#wasReset());
    this.source.addEventListener('shift', ({ detail }) => this.#shift(detail));
    this.source.addEventListener('loading', () => this.#setLoading(true));
    this.source.addEventListener('problem', ({ detail }) => this.#failed(detail));
    state.on('status isServerUp', () => this.#say());
    state.on('filter sort', () => this.source.reset(state.filter, state.sort));
    state.on('sort showsWaterfall', () => this.layOut());
    state.on('marks waterfall', () => this.draw());
    state.on('openId', () => this.#selectOpen());
    state.on('isFollowing', () => state.isFollowing && this.goToEnd());
    this.change = throttled((change) => this.#change(change), 250);
  }

  /// Chooses the columns that have room, and draws.
  layOut() {
    const width = this.clientWidth;
    if (!width) return;
    let columns = this.choice.fitting(width - 12);
    if (state.showsWaterfall) {
      const few = new Set(['signs', 'id', 'method', 'status', 'host', 'path']);
      columns = this.choice.fitting(width * 0.55).filter((column) => few.has(column.name));
      columns = [...columns, WATERFALL];
    }
    this.grid.style.setProperty('--columns', this.choice.template(columns));
    this.grid.setAttribute('aria-colcount', String(columns.length));
    const hadFocus = this.head.contains(document.activeElement) ? document.activeElement.ariaLabel : null;
    this.head.replaceChildren(headings(columns, this.choice, (column, size) => this.#resize(column, size)));
    if (hadFocus) this.head.querySelector(`[aria-label="${hadFocus}"]`)?.focus();
    this.rows.setColumns(columns);
    this.#scrolled();
    this.#follow();
    this.draw();
  }

  #resize(column, width) {
    this.choice.resize(column, width);
    this.layOut();
  }

  draw() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    this.#frame = 0;
    const { source, scroll } = this;
    scroll.setSize(source.size);
    const from = Math.floor(scroll.top);
    const to = Math.min(source.size, Math.ceil(scroll.top + scroll.visibleCount) + 1);
    const visible = state.showsWaterfall ? source.rows.slice(Math.max(0, from - source.first), Math.max(0, to - source.first)) : [];
    const scale = state.showsWaterfall ? timeScale(visible) : null;
    const offset = (from - scroll.top) * ROW_HEIGHT;
    this.rows.draw({ source, from, to: Math.max(from, to), offset, rowHeight: ROW_HEIGHT, selected: this.selected, scale });
    this.grid.setAttribute('aria-rowcount', String(source.size + 1));
    this.#nameActive(from, to);
    source.need(from - MARGIN, to + MARGIN);
  }

  #nameActive(from, to) {
    const isVisible = this.selected >= from && this.selected < to;
    if (isVisible) this.grid.setAttribute('aria-activedescendant', `row-${this.selected}`);
    else this.grid.removeAttribute('aria-activedescendant');
  }

  #scrolled() {
    if (!this.scroll.takeScroll()) return;
    if (!this.scroll.isAtEnd) state.set('isFollowing', false);
    else if (!state.sort && this.source.isAtEnd) state.set('isFollowing', true);
    this.draw();
  }

  #follow() {
    if (state.isFollowing && !state.sort) this.scroll.moveTo(this.scroll.topMax);
  }

  #rowsCame() {
    this.#problem = null;
    // The browser reports a scroll with the next frame; rows that arrive first must not undo it.
    this.#scrolled();
    this.scroll.setSize(this.source.size);
    this.#findSelected();
    this.#follow();
    this.#sayNew();
    this.draw();
    this.dispatchEvent(new Event('counted'));
    this.#say();
  }

  /// An exchange that is opened from elsewhere, such as one that was just sent, is selected, too.
  #selectOpen() {
    if (state.openId) this.lastId = state.openId;
    this.#findSelected();
    this.draw();
  }

  /// Rows inserted before the selected one have moved it.
  #findSelected() {
    const index = this.lastId ? this.source.indexOf(this.lastId) : -1;
    if (index >= 0) this.selected = index;
    if (this.choice.noteNumbers(this.source.rows)) this.layOut();
  }

  #wasReset() {
    this.#setLoading(false);
    this.#newCount = 0;
    const id = this.lastId;
    this.selected = id ? this.source.indexOf(id) : -1;
    this.scroll.setSize(this.source.size);
    if (state.sort) this.scroll.moveTo(0);
    else this.scroll.moveTo(this.source.isAtEnd ? this.scroll.topMax : this.source.first);
    if (!state.sort) state.set('isFollowing', true);
    this.#rowsCame();
  }

  #shift(rows) {
    if (this.selected >= 0) this.selected += rows;
    this.#scrolled();
    this.scroll.setSize(this.source.size);
    this.scroll.moveTo(this.scroll.top + rows);
  }

  #setLoading(isLoading) {
    this.#isLoading = isLoading;
    this.grid.classList.toggle('loading', isLoading);
    this.grid.setAttribute('aria-busy', String(isLoading));
  }

  #failed(problem) {
    this.#setLoading(false);
    this.#problem = problem;
    this.#say();
  }

  /// Says why there are no rows, and what to do.
  #say() {
    const { rows, countIsKnown } = this.source;
    const isEmpty = rows.length === 0 && (countIsKnown || this.#problem !== null);
    const hasStore = this.#problem === null;
    state.set('isEmpty', isEmpty && !(state.filter && hasStore));
    const { exchanges, store_bytes: size, read_only: isReadOnly } = state.status ?? {};
    state.set('isStoreGone', rows.length > 0 && exchanges === null && size === null && !isReadOnly);
    this.message.hidden = !isEmpty;
    if (isEmpty) this.#drawMessage(listMessage(state.status, this.#problem, () => this.source.reset(state.filter, state.sort)));
  }

  /// Draws only what differs: what is said may have the focus, or be selected.
  #drawMessage(content) {
    const shown = this.message.firstChild;
    if (!shown || !shown.isEqualNode(content)) this.message.replaceChildren(content);
  }

  /// Handles an exchange that was added or changed.
  #change(change) {
    const before = this.source.count;
    const from = Math.floor(this.scroll.top);
    const total = change.count === undefined ? null : change.count;
    this.source.refresh(from, from + Math.ceil(this.scroll.visibleCount) + 1, total).then(() => {
      if (state.isFollowing) this.#newCount = 0;
      else this.#newCount += Math.max(0, this.source.count - before);
      this.#sayNew();
    });
  }

  #sayNew() {
    if (state.isFollowing) this.#newCount = 0;
    this.more.hidden = this.#newCount === 0;
    this.more.replaceChildren(icon('arrow-down'), `${count(this.#newCount)} new`);
  }

  #click(event) {
    const element = event.target.closest('.row');
    if (!element) return;
    if (event.ctrlKey || event.metaKey) {
      this.select(element.index);
      if (this.selectedRow) state.toggleMark(this.selectedRow.id);
      return;
    }
    if (event.shiftKey && this.selected >= 0) return this.#markTo(element.index);
    this.select(element.index);
    this.open();
  }

  #markTo(index) {
    const [from, to] = [Math.min(this.selected, index), Math.max(this.selected, index)];
    for (let place = from; place <= to; place += 1) {
      const row = this.source.row(place);
      if (row) state.marks.add(row.id);
    }
    this.select(index);
    state.tell('marks');
  }

  /// Selects a row and makes it visible.
  select(index) {
    if (this.source.size === 0) return;
    this.selected = Math.min(Math.max(0, index), this.source.size - 1);
    if (this.selected < this.source.size - 1) state.set('isFollowing', false);
    this.lastId = this.selectedRow?.id ?? null;
    this.scroll.reveal(this.selected);
    setText(this.spoken, rowLabel(this.selectedRow));
    this.draw();
  }

  /// Selects the last row of all, at once if it is known.
  async selectLast() {
    if (this.#isLoading || !this.source.isAtEnd) await this.goToEnd();
    this.select(this.source.size - 1);
  }

  /// Moves the selection; from nowhere, to the last visible row.
  move(rows) {
    const start = Math.floor(this.scroll.top + this.scroll.visibleCount) - 1;
    if (this.selected < 0) this.select(Math.min(this.source.size - 1, start));
    else this.select(this.selected + rows);
  }

  async goToEnd() {
    await this.source.ready;
    if (!this.source.isAtEnd) await this.source.reset(state.filter, state.sort, 'bottom');
    this.#newCount = 0;
    this.#sayNew();
    this.scroll.moveTo(this.scroll.topMax);
    this.draw();
  }

  /// Opens the selected exchange.
  open() {
    if (this.selectedRow) state.set('openId', this.selectedRow.id);
  }
}

customElements.define('exchange-list', ExchangeList);
