// Edits a copy of a request, or an empty one, and sends it.

import { exchangePath, json } from './api.js';
import { isCutHere } from './cut-body.js';
import { openDialog, field } from './dialog.js';
import { button, el, setText } from './dom.js';
import { opened } from './sent.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/// Opens the composer; `exchange` is null for an empty request.
export function openComposer(exchange) {
  new Composer(exchange);
}

class Composer {
  constructor(exchange) {
    this.exchange = exchange;
    const request = exchange?.request;
    this.method = el('input', { type: 'text', value: exchange?.method ?? 'GET' });
    this.method.setAttribute('list', 'composer-methods');
    this.url = el('input', { type: 'text', value: exchange?.url ?? 'https://', spellcheck: false, autofocus: true });
    const lines = (request?.headers ?? []).map(([name, value]) => `${name}: ${value}`);
    this.headers = el('textarea', { rows: Math.min(12, lines.length + 2), spellcheck: false, value: lines.join('\n') });
    const isText = !request || (request.body_text !== null && !isCutHere(exchange, 'request') && !request.body_truncated);
    this.body = el('textarea', {
      rows: 8, spellcheck: false, value: isText ? (request?.body_text ?? '') : '', disabled: !isText,
      on: { input: () => this.#check() },
    });
    this.before = this.body.value;
    this.beforeAll = this.#written();
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.remark = el('p', { class: 'notice-text', role: 'status' });
    this.#open(isText);
  }

  #open(isText) {
    const hint = isText ? '' : 'Not text, too long, or not stored whole: it is sent as it was.';
    const methods = el('datalist', { id: 'composer-methods' }, METHODS.map((name) => el('option', { value: name })));
    this.sendButton = button('Send', () => this.#send(), { class: 'primary', title: 'Control and Enter' });
    const title = this.exchange ? `Edit and send ${this.exchange.id}` : 'New request';
    this.dialog = openDialog(title, [
      el('div', { class: 'start-fields' }, field('Method', this.method), field('URL', this.url)), methods,
      field('Headers', this.headers, 'One on each line. Host and framing follow the URL and the body.'),
      field('Body', this.body, hint), this.remark, this.problem,
    ], [
      button('Format JSON', () => this.#format(), { disabled: !isText }), this.sendButton,
    ], { isWide: true, hasDraft: () => this.#written() !== this.beforeAll });
    this.dialog.element.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.#send();
    });
    this.#check();
  }

  /// All that can be typed, for telling whether anything was.
  #written() {
    return JSON.stringify([this.method, this.url, this.headers, this.body].map((input) => input.value));
  }

  /// A body that should be JSON and is not can be sent all the same, but not unnoticed.
  #check() {
    const isJSON = /^content-type:.*json/im.test(this.headers.value);
    this.remark.textContent = '';
    if (!isJSON || this.body.disabled || !this.body.value.trim()) return;
    try {
      JSON.parse(this.body.value);
    } catch (error) {
      setText(this.remark, `The body is not JSON: ${error.message}`);
    }
  }

  #format() {
    try {
      // Formatting by the language's own reader would change long numbers, so only white space is.
      JSON.parse(this.body.value);
      this.body.value = formatJSON(this.body.value);
    } catch (error) {
      setText(this.remark, `The body is not JSON: ${error.message}`);
    }
  }

  #request() {
    const headers = this.headers.value.split('\n').filter((line) => line.trim()).map((line) => {
      const place = line.indexOf(':', 1);
      if (place < 0) throw new SyntaxError(`A header has a colon: ${line}`);
      return [line.slice(0, place).trim(), line.slice(place + 1).trim()];
    });
    const request = { method: this.method.value.trim(), url: this.url.value.trim(), headers };
    const isChanged = !this.exchange || this.body.value !== this.before;
    if (!this.body.disabled && isChanged) request.body_text = this.body.value;
    return request;
  }

  async #send() {
    this.problem.textContent = '';
    this.sendButton.disabled = true;
    try {
      const path = this.exchange ? exchangePath(this.exchange.id, '/replay') : '/send';
      const sent = await json(path, { method: 'POST', body: this.#request() });
      this.dialog.close();
      opened(sent);
    } catch (problem) {
      setText(this.problem, problem.message);
    } finally {
      this.sendButton.disabled = false;
    }
  }
}

/// Valid JSON with line breaks and indents; strings and numbers stay as they were written.
export function formatJSON(text) {
  let depth = 0;
  let result = '';
  const pad = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      result += token + pad();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      result = /[{[]\s*$/.test(result) ? result.trimEnd() + token : result + pad() + token;
    } else {
      result += token === ',' ? `,${pad()}` : token === ':' ? ': ' : token;
    }
  }
  return result;
}
