// Edits a message: its start line, its headers as pairs or as text, and its body.

import { button, el } from './dom.js';
import { readHead, requestLine, statusLine, writeHead } from './message-head.js';
import { PairEditor } from './pair-editor.js';
import { TextBody } from './text-body.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/// A list of methods for an input, made once.
export function methodList() {
  const id = 'method-names';
  if (!document.getElementById(id)) document.body.append(el('datalist', { id }, METHODS.map((value) => el('option', { value }))));
  return id;
}

export class MessageEditor {
  #isText = false;

  /// - Parameter message: `head` as text, and `body`, a text or null.
  /// - Parameter phase: `request` or `response`.
  constructor(message, phase, changed) {
    Object.assign(this, { phase, changed });
    this.before = message;
    this.text = el('textarea', { rows: 10, spellcheck: false, 'aria-label': 'Head', class: 'head-text', on: { input: changed } });
    this.headers = new PairEditor('Header', [], { changed: () => this.#headChanged(), suggestsHeaders: true });
    this.start = el('div', { class: 'start-fields' });
    const hasBody = typeof message.body === 'string';
    this.body = new TextBody(message.body ?? '', {
      isJSON: () => this.#isJSON(), changed, isDisabled: !hasBody, rows: 6,
      hint: hasBody ? '' : 'The body is not text, or is not held: it goes on as it is.',
    });
    this.switch = button('Edit as text', () => this.#show(!this.#isText), { class: 'quiet' });
    this.place = el('div', { class: 'head-place' });
    this.#fill(message.head);
    this.#show(false);
    this.body.check();
    this.initial = this.head;
    const title = (words, ...rest) => el('div', { class: 'part-head' }, el('h3', {}, words), el('span', { class: 'grow' }), rest);
    this.element = el('div', { class: 'message-editor' },
      el('section', { class: 'message-part' }, title('Head', this.switch), this.place),
      el('section', { class: 'message-part' }, title('Body'), this.body.element));
  }

  get head() {
    return this.#isText ? this.text.value.replaceAll('\r', '').trimEnd() : writeHead(this.#startLine(), this.headers.pairs);
  }

  get isHeadChanged() {
    return this.head !== this.initial;
  }

  get isBodyChanged() {
    return !this.body.input.disabled && this.body.text !== this.before.body;
  }

  get isChanged() {
    return this.isHeadChanged || this.isBodyChanged;
  }

  focus() {
    (this.#isText ? this.text : this.start.querySelector('input')).focus();
  }

  /// Shows the head as fields or as text; what was typed is taken over.
  #show(isText) {
    if (isText === this.#isText && this.place.firstChild) return;
    if (isText) this.text.value = this.head;
    else if (this.#isText) this.#fill(this.text.value);
    this.#isText = isText;
    this.switch.textContent = isText ? 'Edit as fields' : 'Edit as text';
    this.place.replaceChildren(...(isText ? [this.text] : [this.start, this.headers.element]));
  }

  #fill(head) {
    const { start, pairs } = readHead(head);
    this.parts = this.phase === 'request' ? requestLine(start) : statusLine(start);
    const input = (name, label, more) => el('input', {
      type: 'text', value: this.parts[name], spellcheck: false, 'aria-label': label, ...more,
      on: { input: ({ target }) => { this.parts[name] = target.value; this.changed(); } },
    });
    if (this.phase === 'request') {
      const method = input('method', 'Method', { class: 'method' });
      method.setAttribute('list', methodList());
      this.start.replaceChildren(method, input('target', 'URL', { class: 'url' }));
    } else {
      const status = input('status', 'Status', { class: 'status-code', inputMode: 'numeric' });
      this.start.replaceChildren(status, input('reason', 'Reason', { class: 'reason', placeholder: 'reason' }));
    }
    this.headers.set(pairs);
  }

  #startLine() {
    const { method, target, version, status, reason } = this.parts;
    return (this.phase === 'request' ? [method, target, version] : [version, status, reason]).filter(Boolean).join(' ');
  }

  #headChanged() {
    this.body.check();
    this.changed();
  }

  #isJSON() {
    const type = this.headers?.pairs.find(({ name }) => name.trim().toLowerCase() === 'content-type');
    return /[/+]json\b/i.test(type?.value ?? '');
  }
}
