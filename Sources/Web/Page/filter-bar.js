// <filter-bar>: the filter with completion, earlier filters, the live count, and a mistake under
// the column where it is.

import { json } from './api.js';
import { completions } from './completion.js';
import { openSavedFilters } from './doors.js';
import { el, settled } from './dom.js';
import { icon, iconButton } from './icons.js';
import { recall, remember } from './memory.js';
import { savedFilterInUse } from './saved-filters.js';
import { state } from './state.js';

const HISTORY_MAX = 50;
/// A test without its value, which is no mistake while it is typed.
const HALF_TYPED = /[\w.\]][!:=~<>]+$/;

class FilterBar extends HTMLElement {
  #choices = [];
  #chosen = -1;
  #check = new AbortController();
  /// The last filter that the server accepted.
  #accepted = '';
  #start = 0;
  /// Counts the completions asked for; those of earlier ones come too late.
  #asked = 0;

  connectedCallback() {
    if (this.input) return;
    this.#build();
    this.input.value = state.filter;
    state.on('filter', () => this.#takeFilter());
    state.on('filter savedFilters', () => this.#markSaved());
    this.#markSaved();
    this.checkSoon = settled(() => this.#checkNow(), 200);
    this.completeSoon = settled(() => this.#complete(), 60);
  }

  #build() {
    this.list = el('ul', { class: 'choices', id: 'filter-choices', role: 'listbox', 'aria-label': 'Completions', hidden: true });
    this.input = el('input', {
      class: 'filter-input', type: 'search', spellcheck: false, autocomplete: 'off',
      placeholder: 'Filter, such as status>=500 host:api or body:text', 'aria-label': 'Filter',
      'aria-controls': 'filter-choices', 'aria-autocomplete': 'list', 'aria-describedby': 'filter-problem',
      on: {
        input: () => this.#typed(), keydown: (event) => this.#key(event), blur: () => this.#left(),
        focus: () => this.completeSoon(),
      },
    });
    this.problem = el('div', { class: 'filter-problem', id: 'filter-problem', role: 'alert' });
    this.count = el('output', { class: 'filter-count', 'aria-label': 'Matching exchanges' });
    this.clear = iconButton('close', 'Clear filter', () => this.apply(''), { hidden: true });
    this.saved = iconButton('star', 'Saved filters', () => this.showSaved(), { title: 'Saved filters (@)', 'aria-haspopup': 'dialog', 'aria-expanded': 'false' });
    const field = el('div', { class: 'filter-field' },
      icon('filter'), this.input, el('span', { class: 'filter-tools' }, this.clear, this.saved),
      el('div', { class: 'filter-below' }, this.problem, this.list));
    this.append(field, this.count);
  }

  focusInput() {
    this.input.focus();
    this.input.select();
  }

  /// Shows the saved filters; `isSaving` asks for a name for the one in use.
  showSaved(isSaving = false) {
    openSavedFilters(this.saved, { isSaving });
  }

  /// What is typed, unless it is no filter yet; then the one in force.
  get intended() {
    const text = this.input.value.trim();
    return HALF_TYPED.test(text) || this.input.ariaInvalid === 'true' ? state.filter : text;
  }

  #markSaved() {
    this.saved.classList.toggle('in-use', savedFilterInUse() !== undefined);
  }

  showCount(text) {
    if (this.input.value.trim() === state.filter) this.count.textContent = text;
  }

  /// Applies a filter that the server accepts; otherwise the mistake stays shown.
  async apply(text = this.input.value.trim()) {
    this.input.value = text;
    this.#hide();
    // A check that is still to come would end the one of this filter.
    this.checkSoon.cancel();
    this.completeSoon.cancel();
    if (text !== this.#accepted && !(await this.#isAccepted(text))) return false;
    // What was typed meanwhile is not overwritten.
    if (this.input.value.trim() !== text) return false;
    this.#check.abort();
    this.#showProblem(null);
    if (text) this.#addToHistory(text);
    state.set('filter', text);
    return true;
  }

  #takeFilter() {
    // What is being typed may end in a space, and has a caret.
    if (this.input.value.trim() !== state.filter) this.input.value = state.filter;
    this.clear.hidden = !state.filter;
    this.#showProblem(null);
  }

  #typed() {
    this.checkSoon();
    this.completeSoon();
    this.clear.hidden = this.input.value === '';
  }

  /// Checks what is being typed, and applies it if it is a filter.
  async #checkNow() {
    const filter = this.input.value.trim();
    if (HALF_TYPED.test(filter)) return this.#showProblem(null);
    // What was typed since then is checked by itself.
    if (await this.#isAccepted(filter) && this.input.value.trim() === filter) state.typeFilter(filter);
  }

  /// Whether the server understands a filter; otherwise shows why not.
  async #isAccepted(filter) {
    this.#check.abort();
    this.#check = new AbortController();
    try {
      if (filter) await json('/filter/check', { query: { filter }, signal: this.#check.signal });
      this.#showProblem(null);
      this.#accepted = filter;
      return true;
    } catch (problem) {
      if (problem.name !== 'AbortError') this.#showProblem(problem);
      return false;
    }
  }

  /// Shows a mistake with a sign under its column, which is measured in characters.
  #showProblem(problem) {
    this.input.setAttribute('aria-invalid', String(problem !== null));
    if (problem === null) return this.problem.replaceChildren();
    this.count.textContent = '';
    const column = Math.max(1, problem.column ?? 1);
    const place = el('span', { class: 'caret', 'aria-hidden': 'true' });
    place.style.marginInlineStart = `calc(${column - 1}ch - ${this.input.scrollLeft}px)`;
    const where = problem.column ? `column ${problem.column}: ` : '';
    this.problem.replaceChildren(place, ` ${where}${problem.message}`);
  }

  async #complete() {
    if (document.activeElement !== this.input) return;
    const caret = this.input.selectionStart ?? this.input.value.length;
    const history = recall('filters', []);
    this.#asked += 1;
    const asked = this.#asked;
    const { start, choices } = await completions(this.input.value, caret, history);
    if (asked !== this.#asked || document.activeElement !== this.input) return;
    this.#start = start;
    this.#choices = choices;
    this.#choose(-1);
    this.list.hidden = choices.length === 0;
  }

  #choose(index) {
    this.#chosen = index;
    this.list.replaceChildren(...this.#choices.map((choice, place) => this.#option(choice, place)));
    if (index < 0) return this.input.removeAttribute('aria-activedescendant');
    this.input.setAttribute('aria-activedescendant', `filter-choice-${index}`);
    this.list.children[index].scrollIntoView({ block: 'nearest' });
  }

  #option(choice, place) {
    return el('li', {
      role: 'option', id: `filter-choice-${place}`, 'aria-selected': String(place === this.#chosen),
      on: { mousedown: (event) => { event.preventDefault(); this.#insert(choice); } },
    }, el('code', {}, choice.text), el('span', {}, choice.meaning ?? ''));
  }

  #insert(choice) {
    const { value } = this.input;
    const caret = this.input.selectionStart ?? value.length;
    this.input.setRangeText(choice.text, this.#start, choice.isWhole ? value.length : caret, 'end');
    this.#typed();
  }

  #key(event) {
    const isOpen = !this.list.hidden && this.#choices.length > 0;
    const count = this.#choices.length;
    if (isOpen && event.key === 'ArrowDown') this.#choose((this.#chosen + 1) % count);
    else if (isOpen && event.key === 'ArrowUp') this.#choose((this.#chosen + count - (this.#chosen < 0 ? 0 : 1)) % count);
    else if (isOpen && event.key === 'Tab' && !event.shiftKey && this.input.value) this.#insert(this.#choices[Math.max(0, this.#chosen)]);
    else if (event.key === '@' && !this.input.value) this.showSaved();
    else if (event.key === 'Enter') this.#enter();
    else if (event.key === 'Escape') this.#escape(isOpen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #enter() {
    if (this.#chosen >= 0 && !this.list.hidden) return this.#insert(this.#choices[this.#chosen]);
    this.apply().then((isApplied) => isApplied && this.dispatchEvent(new Event('done')));
  }

  #escape(isOpen) {
    if (isOpen) return this.#hide();
    this.checkSoon.cancel();
    if (state.isTyping) state.undoFilter();
    this.input.value = state.filter;
    this.#takeFilter();
    this.dispatchEvent(new Event('done'));
  }

  /// A filter that was typed and left as it is counts as chosen.
  #left() {
    this.#hide();
    if (state.isTyping && state.filter) this.#addToHistory(state.filter);
    state.isTyping = false;
  }

  #hide() {
    this.#asked += 1;
    this.list.hidden = true;
    this.#chosen = -1;
    this.input.removeAttribute('aria-activedescendant');
  }

  #addToHistory(filter) {
    const earlier = recall('filters', []).filter((other) => other !== filter);
    remember('filters', [filter, ...earlier].slice(0, HISTORY_MAX));
  }
}

customElements.define('filter-bar', FilterBar);
