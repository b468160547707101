// <filter-bar>: the filter with completion, earlier filters, the live count, and a mistake under
// the column where it is.

import { json } from './api.js';
import { completions } from './completion.js';
import { button, el, settled } from './dom.js';
import { recall, remember } from './memory.js';
import { state } from './state.js';

const HISTORY_MAX = 50;

export class FilterBar extends HTMLElement {
  #choices = [];
  #chosen = -1;
  #check = new AbortController();
  /// The last filter that the server accepted.
  #accepted = '';
  #start = 0;

  connectedCallback() {
    if (this.input) return;
    this.#build();
    this.input.value = state.filter;
    state.on('filter', () => this.#takeFilter());
    this.checkSoon = settled(() => this.#checkNow(), 200);
    this.completeSoon = settled(() => this.#complete(), 60);
  }

  #build() {
    this.list = el('ul', { class: 'choices', id: 'filter-choices', role: 'listbox', 'aria-label': 'Completions', hidden: true });
    this.input = el('input', {
      class: 'filter-input', type: 'search', spellcheck: false, autocomplete: 'off',
      placeholder: 'Filter:  status>=500 host:api   body:text', 'aria-label': 'Filter',
      'aria-controls': 'filter-choices', 'aria-autocomplete': 'list', 'aria-describedby': 'filter-problem',
      on: {
        input: () => this.#typed(), keydown: (event) => this.#key(event), blur: () => this.#left(),
        focus: () => this.completeSoon(),
      },
    });
    this.problem = el('div', { class: 'filter-problem', id: 'filter-problem', role: 'alert' });
    this.count = el('output', { class: 'filter-count', 'aria-label': 'Matching exchanges' });
    const field = el('div', { class: 'filter-field' }, this.input, this.problem, this.list);
    this.clear = button('✕', () => this.apply(''), { class: 'quiet', 'aria-label': 'Clear filter', title: 'Clear filter', hidden: true });
    this.append(field, this.clear, this.count);
  }

  focusInput() {
    this.input.focus();
    this.input.select();
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
    if (text !== this.#accepted && !(await this.#isAccepted(text))) return false;
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
    if (await this.#isAccepted(filter)) state.typeFilter(filter);
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
    const place = el('span', { class: 'caret', 'aria-hidden': 'true' }, '▲');
    place.style.marginInlineStart = `calc(${column - 1}ch - ${this.input.scrollLeft}px)`;
    const where = problem.column ? `column ${problem.column}: ` : '';
    this.problem.replaceChildren(place, ` ${where}${problem.message}`);
  }

  async #complete() {
    if (document.activeElement !== this.input) return;
    const caret = this.input.selectionStart ?? this.input.value.length;
    const history = recall('filters', []);
    const { start, choices } = await completions(this.input.value, caret, history);
    if (document.activeElement !== this.input) return;
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
