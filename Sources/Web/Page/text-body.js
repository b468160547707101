// Edits a body as text; JSON is checked while it is typed.

import { button, el, setText, settled } from './dom.js';
import { compactJSON, formatJSON, jsonMistake } from './json-format.js';

const WAIT_MS = 150;

export class TextBody {
  #mistake = null;

  /// - Parameter isJSON: Whether the text should be JSON.
  constructor(text, { isJSON = () => false, changed = () => {}, rows = 10, hint = '', isDisabled = false } = {}) {
    Object.assign(this, { isJSON, changed });
    this.input = el('textarea', {
      rows, spellcheck: false, autocapitalize: 'off', value: text, disabled: isDisabled, 'aria-label': 'Body', class: 'body-text',
      on: { input: () => this.#typed(), keydown: (event) => this.#key(event) },
    });
    this.place = button('', () => this.#goToMistake(), { class: 'quiet json-mistake', title: 'Go there', hidden: true });
    this.format = button('Format', () => this.#layOut(formatJSON), { class: 'quiet', title: 'JSON with line breaks and indents' });
    this.compact = button('One line', () => this.#layOut(compactJSON), { class: 'quiet', title: 'JSON without white space' });
    this.state = el('span', { class: 'dim json-state', role: 'status' });
    this.tools = el('div', { class: 'body-tools' }, this.place, this.state, el('span', { class: 'grow' }), this.format, this.compact);
    this.element = el('div', { class: 'text-body' }, this.input, this.tools, hint ? el('p', { class: 'dim' }, hint) : null);
    this.checkSoon = settled(() => this.check(), WAIT_MS);
    this.check();
  }

  get text() {
    return this.input.value;
  }

  set text(value) {
    this.input.value = value;
    this.check();
  }

  /// Whether the text should be JSON and is not.
  get isWrong() {
    return this.#mistake !== null;
  }

  check() {
    const isJSON = this.isJSON() && !this.input.disabled;
    this.#mistake = isJSON && this.text.trim() ? jsonMistake(this.text) : null;
    this.tools.hidden = !isJSON;
    this.place.hidden = this.#mistake === null;
    this.format.disabled = this.compact.disabled = this.#mistake !== null || !this.text.trim();
    this.input.setAttribute('aria-invalid', String(this.#mistake !== null));
    const { line, column, message } = this.#mistake ?? {};
    setText(this.place, this.#mistake ? `Line ${line}, column ${column}: ${message}` : '');
    setText(this.state, isJSON && !this.#mistake && this.text.trim() ? 'Valid JSON' : '');
  }

  #typed() {
    this.checkSoon();
    this.changed();
  }

  /// A new line starts where the one before it does.
  #key(event) {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !this.isJSON()) return;
    const before = this.text.slice(0, this.input.selectionStart);
    const indent = /[^\n]*$/.exec(before)[0].match(/^[ \t]*/)[0] + (/[{[]\s*$/.test(before) ? '  ' : '');
    if (!indent) return;
    event.preventDefault();
    this.#insert(`\n${indent}`);
  }

  #goToMistake() {
    this.input.focus();
    this.input.setSelectionRange(this.#mistake.at, this.#mistake.at + 1);
    this.input.scrollTop = (this.input.scrollHeight * Math.max(0, this.#mistake.line - 4)) / this.text.split('\n').length;
  }

  #layOut(write) {
    this.input.focus();
    this.input.select();
    this.#insert(write(this.text));
  }

  /// As if it was typed, so that the browser can undo it.
  #insert(text) {
    if (!document.execCommand('insertText', false, text)) this.input.setRangeText(text, this.input.selectionStart, this.input.selectionEnd, 'end');
    this.#typed();
  }
}
