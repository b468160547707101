// A field for a filter in forms: a mistake is shown under the column where it is.

import { el } from './dom.js';

let madeCount = 0;

export class FilterField {
  constructor(label, value = '', { typed = () => {}, placeholder = 'every exchange' } = {}) {
    madeCount += 1;
    const id = `filter-mistake-${madeCount}`;
    this.input = el('input', {
      type: 'text', class: 'filter-text', value, placeholder, spellcheck: false, autocomplete: 'off', 'aria-label': label, 'aria-describedby': id,
      on: { input: () => typed() },
    });
    this.mistake = el('div', { class: 'filter-mistake', id, role: 'alert' });
    this.element = el('div', { class: 'field' }, el('span', { 'aria-hidden': 'true' }, label), this.input, this.mistake);
  }

  get text() {
    return this.input.value.trim();
  }

  /// Shows what is wrong, with a sign under the column, which is counted from 1; null shows nothing.
  show(problem) {
    this.input.setAttribute('aria-invalid', String(problem !== null));
    if (problem === null) return this.mistake.replaceChildren();
    const { column, message } = problem;
    const sign = column ? el('span', { class: 'caret', 'aria-hidden': 'true' }, '▲') : null;
    sign?.style.setProperty('margin-inline-start', `calc(${column - 1}ch - ${this.input.scrollLeft}px)`);
    this.mistake.replaceChildren(...[sign, `${column ? `Column ${column}: ` : ''}${message}`].filter(Boolean));
  }
}
