// What the user has chosen, shared by all parts of the page. Parts listen for the events named in
// `set`; the address holds filter, view and exchange, so that links can be shared on this machine.

import { narrowed } from './filter-terms.js';

class AppState extends EventTarget {
  filter = '';
  /// A column and `asc` or `desc`, or null for the order of capture.
  sort = null;
  /// One of `list`, `tree`, `summary`, `rules`.
  view = 'list';
  /// The id of the open exchange, or null.
  openId = null;
  /// The number of exchanges and the daemon, as `/status` says; null until it is known.
  status = null;
  /// Whether the server of this page answers.
  isServerUp = true;
  /// Whether nothing is recorded, so that the list says what to do.
  isEmpty = false;
  /// Whether the store has gone since its rows were read.
  isStoreGone = false;
  isFollowing = true;
  showsWaterfall = false;
  /// Ids of marked exchanges.
  marks = new Set();
  /// Filters before the current one, for going back.
  earlier = [];
  /// Whether the filter is being typed.
  isTyping = false;

  /// Changes a property and tells listeners of the event that has its name.
  set(name, value) {
    const wasTyping = this.isTyping;
    if (name === 'filter') this.isTyping = false;
    if (this[name] === value) return;
    if (name === 'filter' && !wasTyping) this.earlier.push(this.filter);
    this[name] = value;
    this.tell(name);
    if (['filter', 'view', 'openId'].includes(name)) this.writeAddress();
  }

  /// Sets the filter while it is typed: going back leads to the one before the typing.
  typeFilter(filter) {
    if (this.filter === filter) return;
    if (!this.isTyping) this.earlier.push(this.filter);
    this.isTyping = true;
    this.filter = filter;
    this.tell('filter');
    this.writeAddress();
  }

  tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  on(names, listener) {
    for (const name of names.split(' ')) this.addEventListener(name, listener);
  }

  /// Goes back to the filter before the current one.
  undoFilter() {
    const filter = this.earlier.pop();
    if (filter === undefined) return false;
    this.isTyping = false;
    this.filter = filter;
    this.tell('filter');
    this.writeAddress();
    return true;
  }

  toggleMark(id) {
    if (!this.marks.delete(id)) this.marks.add(id);
    this.tell('marks');
  }

  clearMarks() {
    this.marks.clear();
    this.tell('marks');
  }

  /// Joins a condition to the filter.
  narrow(condition) {
    this.set('filter', narrowed(this.filter, condition));
  }

  readAddress() {
    const place = new URLSearchParams(location.hash.slice(1));
    this.filter = place.get('filter') ?? '';
    this.view = place.get('view') ?? 'list';
    this.openId = place.get('exchange');
  }

  /// The address of what is shown. It never has the token.
  address() {
    const place = new URLSearchParams();
    if (this.view !== 'list') place.set('view', this.view);
    if (this.filter) place.set('filter', this.filter);
    if (this.openId) place.set('exchange', this.openId);
    return `${location.origin}${location.pathname}${place.size ? `#${place}` : ''}`;
  }

  writeAddress() {
    history.replaceState(null, '', this.address());
  }
}

export const state = new AppState();
