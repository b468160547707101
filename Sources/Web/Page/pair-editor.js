// Edits names and values: a row for each pair, and an empty one at the end for the next.

import { el } from './dom.js';
import { iconButton } from './icons.js';

/// The names that are typed most often.
const HEADERS = [
  'Accept', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Cache-Control', 'Content-Type', 'Cookie', 'If-Match',
  'If-Modified-Since', 'If-None-Match', 'Idempotency-Key', 'Origin', 'Range', 'Referer', 'User-Agent', 'X-Request-ID',
];

/// - Parameter pairs: Objects with `name`, `value`, and whatever else belongs to the pair and stays
///   with it until one of both is changed; `file` stays longer.
/// - Parameter decorate: Gets each row that is made, and may add to it.
export class PairEditor {
  #rows = [];

  constructor(noun, pairs, { changed = () => {}, decorate = () => {}, suggestsHeaders = false } = {}) {
    Object.assign(this, { noun, changed, decorate });
    this.body = el('div', { class: 'pair-rows' });
    this.element = el('div', { class: 'pair-editor', role: 'group', 'aria-label': `${noun}s`, on: { keydown: (event) => this.#key(event) } }, this.body);
    if (suggestsHeaders) this.#suggest();
    this.set(pairs);
  }

  #suggest() {
    this.listName = 'header-names';
    if (!document.getElementById(this.listName)) {
      document.body.append(el('datalist', { id: this.listName }, HEADERS.map((value) => el('option', { value }))));
    }
  }

  /// Shows other pairs.
  set(pairs) {
    this.#rows = [];
    this.body.replaceChildren();
    for (const pair of pairs) this.#add(pair);
    this.#add(null);
  }

  /// The pairs that are switched on. Those that were not changed are the objects they came as.
  get pairs() {
    return this.#rows.filter((row) => row.isOn.checked && (row.name.value || row.value.value)).map((row) => pairOf(row));
  }

  /// The value of the first pair with a name, in any letter case; undefined without one.
  valueOf(name) {
    return this.#named(name)?.value.value;
  }

  /// Sets the value of a pair, or adds it; null removes it.
  put(name, value) {
    const row = this.#named(name);
    if (value === null) return row && this.#drop(row);
    if (!row) return this.#add({ name, value }, this.#rows.at(-1));
    row.value.value = value;
    this.#mark(row);
  }

  #named(name) {
    return this.#rows.find((row) => row.isOn.checked && row.name.value.trim().toLowerCase() === name.toLowerCase());
  }

  #add(pair, before = null) {
    const row = { pair };
    const typed = () => {
      if (row === this.#rows.at(-1)) this.#add(null);
      this.#mark(row);
      this.changed();
    };
    const input = (value, kind) => el(/\n/.test(value ?? '') ? 'textarea' : 'input', {
      value: value ?? '', spellcheck: false, autocomplete: 'off', class: kind, placeholder: pair ? '' : kind, on: { input: typed },
    });
    row.take = (other) => {
      row.pair = { ...other, name: row.name.value };
      row.value.value = other.value;
      row.value.readOnly = true;
      typed();
    };
    row.isOn = el('input', { type: 'checkbox', checked: true, on: { change: () => { this.#mark(row); this.changed(); } } });
    row.name = input(pair?.name, 'name');
    row.value = input(pair?.value, 'value');
    if (this.listName) row.name.setAttribute('list', this.listName);
    row.remove = iconButton('close', '', () => this.#remove(row), { class: 'icon quiet' });
    row.element = el('div', { class: 'pair-row' }, row.isOn, row.name, row.value, row.remove);
    row.element.row = row;
    this.decorate(row);
    this.#rows.splice(before ? this.#rows.indexOf(before) : this.#rows.length, 0, row);
    this.body.insertBefore(row.element, before?.element ?? null);
    this.#nameAll();
  }

  /// What each control is called, and which rows can be removed.
  #nameAll() {
    this.#rows.forEach((row, place) => {
      const what = `${this.noun} ${place + 1}`;
      row.isOn.setAttribute('aria-label', `Use ${what.toLowerCase()}`);
      row.name.setAttribute('aria-label', `${what} name`);
      row.value.setAttribute('aria-label', `${what} value`);
      row.remove.setAttribute('aria-label', `Remove ${what.toLowerCase()}`);
      row.remove.title = 'Remove (Control and Backspace)';
      row.element.classList.toggle('last', place === this.#rows.length - 1);
      this.#mark(row);
    });
  }

  #mark(row) {
    const { pair, element } = row;
    element.classList.toggle('off', !row.isOn.checked);
    element.classList.toggle('changed', !isSame(row) && (pair !== null || Boolean(row.name.value || row.value.value)));
  }

  #drop(row) {
    this.#rows.splice(this.#rows.indexOf(row), 1);
    row.element.remove();
    this.#nameAll();
  }

  #remove(row) {
    if (row === this.#rows.at(-1)) return;
    const place = this.#rows.indexOf(row);
    this.#drop(row);
    this.#rows[Math.min(place, this.#rows.length - 1)].name.focus();
    this.changed();
  }

  #key(event) {
    const row = event.target.closest('.pair-row')?.row;
    if (!row || event.isComposing) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && !isCommand && !event.target.matches('button, textarea')) this.#goOn(row, event.target);
    else if (event.key === 'Backspace' && isCommand) this.#remove(row);
    else if (event.altKey && ['ArrowUp', 'ArrowDown'].includes(event.key)) this.#move(row, event.key === 'ArrowUp' ? -1 : 1, event.target);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /// Enter leads from the name to the value, and from there to the next pair.
  #goOn(row, target) {
    const next = this.#rows[this.#rows.indexOf(row) + 1] ?? row;
    (target === row.name ? row.value : next.name).focus();
  }

  #move(row, step, target) {
    const place = this.#rows.indexOf(row);
    const to = place + step;
    if (to < 0 || to >= this.#rows.length - 1 || place === this.#rows.length - 1) return;
    this.#rows.splice(place, 1);
    this.#rows.splice(to, 0, row);
    this.body.insertBefore(row.element, this.#rows[to + 1].element);
    this.#nameAll();
    target.focus();
    this.changed();
  }
}

function isSame({ pair, name, value, isOn }) {
  return pair !== null && isOn.checked && name.value === pair.name && value.value === (pair.value ?? '');
}

function pairOf(row) {
  if (isSame(row)) return row.pair;
  const pair = { name: row.name.value, value: row.value.value };
  return row.pair?.file ? { ...pair, file: row.pair.file } : pair;
}
