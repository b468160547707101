// One message of an exchange: parameters and body first, then headers and cookies.

import { BodyView } from './body-view.js';
import { callMessages } from './call-messages.js';
import { cookieTable } from './cookies.js';
import { el } from './dom.js';
import { bytes, outcome } from './format.js';
import { headerOf, pairTable } from './pairs.js';
import { parameterSections } from './parameters.js';
import { section } from './section.js';
import { soughtIn } from './sought.js';
import { state } from './state.js';

const TITLES = { request: 'Request', response: 'Response' };

/// Shows `part`, which is `request` or `response`, and follows it while it arrives.
export class MessagePane {
  #seen = '';
  #body = null;

  /// `showMessages` opens the tab with all messages.
  constructor(part, showMessages) {
    Object.assign(this, { part, showMessages });
    this.facts = el('span', { class: 'dim half-facts' });
    this.place = el('div', { class: 'half-content' });
    this.element = el('section', { class: `half ${part}`, 'aria-label': TITLES[part], tabIndex: 0, data: { part } },
      el('header', { class: 'half-head' }, el('h3', {}, TITLES[part]), this.facts), this.place);
  }

  /// Shows the message as it is now. `goesToSought` says whether to scroll to what the filter seeks.
  show(exchange, { goesToSought = false, opensHeaders = false } = {}) {
    const seen = this.#stateOf(exchange);
    if (seen === this.#seen) return;
    this.#seen = seen;
    const before = this.exchange?.id === exchange.id ? this.#body : null;
    const isSearching = before?.search === document.activeElement;
    this.exchange = exchange;
    this.#body?.stop();
    this.#body = null;
    const message = exchange[this.part];
    this.facts.replaceChildren(...(message ? this.#factsOf(message) : []));
    this.place.replaceChildren(...(message ? this.#sections(message, { before, goesToSought, opensHeaders }) : this.#missing()));
    if (isSearching) this.#body?.search.focus();
  }

  stop() {
    this.#body?.stop();
  }

  /// All that this message is drawn from: as long as it is the same, nothing is drawn again.
  #stateOf(exchange) {
    const message = exchange[this.part];
    const { id, state: now, error, protocol, messages } = exchange;
    return JSON.stringify([
      id, message, String(soughtIn(state.filter, this.part)), message?.body_bytes ? null : now, this.part === 'response' ? error : null, protocol === 'grpc' ? messages : null,
    ]);
  }

  #factsOf(message) {
    const { status, reason } = this.exchange;
    const code = this.part === 'response' && status !== null ? el('span', { class: `status ${outcome(this.exchange)}` }, `${status} ${reason ?? ''}`.trim()) : null;
    const type = headerOf(message, 'content-type');
    return [code, type ? el('span', {}, type) : null].filter(Boolean);
  }

  #missing() {
    const { error, state: now } = this.exchange;
    if (error) return [el('p', { class: 'bad failure' }, error)];
    return [el('p', { class: 'dim' }, now === 'active' ? 'There is no response yet.' : 'There was no response.')];
  }

  #sections(message, { before, goesToSought, opensHeaders }) {
    const { exchange, part } = this;
    const pattern = soughtIn(state.filter, part);
    const isRequest = part === 'request';
    const parameters = isRequest ? parameterSections(exchange, pattern) : [];
    const body = this.#bodyOf(message, { before, goesToSought }, pattern);
    const cookies = cookieTable(exchange, part);
    return [
      !isRequest && exchange.error ? el('p', { class: 'bad failure' }, exchange.error) : null,
      ...parameters, body,
      this.#headers('Headers', message.headers, opensHeaders && parameters.length === 0 && body.matches('.no-body')),
      cookies ? section('Cookies', cookies, { name: `${part} cookies`, isOpen: false, note: String(cookies.rows.length - (isRequest ? 0 : 1)) }) : null,
      message.trailers?.length ? this.#headers('Trailers', message.trailers, true) : null,
    ].filter(Boolean);
  }

  /// A body that is already shown as parameters is folded, unless the filter found it.
  #bodyOf(message, options, pattern) {
    if (this.exchange.protocol === 'grpc' && this.exchange.messages) return callMessages(this.exchange, this.part, () => this.showMessages());
    if (!message.body_bytes && !message.body_text) {
      return el('p', { class: 'dim no-body' }, this.exchange.state === 'active' ? 'No body yet.' : 'No body.');
    }
    this.#body = new BodyView(this.exchange, this.part, options);
    const isDecoded = message.form?.length || message.multipart?.length;
    if (!isDecoded) return this.#body.element;
    const isFound = pattern !== null && (message.body_text ?? '').search(pattern) >= 0;
    return section('Body as sent', this.#body.element, { note: bytes(message.body_bytes), isOpen: isFound });
  }

  #headers(title, headers, isOpen) {
    const table = pairTable(title, headers ?? [], { kind: 'header' });
    const content = title === 'Headers' ? el('div', {}, el('div', { class: 'start-line' }, this.#startLine()), table) : table;
    return section(title, content, { note: String(headers?.length ?? 0), name: `${this.part} ${title}`, isOpen });
  }

  #startLine() {
    const { start_line: first, status_line: second, method, url, status, reason, http_version: version } = this.exchange;
    if (this.part === 'request') return first ?? [method, url, version].filter(Boolean).join(' ');
    return second ?? [version, status, reason].filter((one) => one !== null && one !== '').join(' ');
  }

  /// Puts the caret into the search of the body, if there is one.
  focusSearch() {
    const details = this.#body?.element.closest('details');
    if (details) details.open = true;
    this.#body?.search.focus();
    return this.#body !== null;
  }
}
