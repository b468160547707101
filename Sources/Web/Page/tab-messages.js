// The tab Messages: those of a WebSocket, an event stream or a gRPC call, live as they arrive.

import { exchangePath, json } from './api.js';
import { button, el, setText } from './dom.js';
import { bytes, time } from './format.js';
import { readJSON } from './json-text.js';
import { jsonTree } from './json-tree.js';
import { state } from './state.js';

const PAGE = 200;

export function fillMessages(content, exchange) {
  new MessageList(content, exchange).readMore();
}

class MessageList {
  #last = null;
  #isReading = false;

  constructor(content, exchange) {
    this.exchange = exchange;
    this.content = content;
    this.filter = el('input', { type: 'search', 'aria-label': 'Filter messages', placeholder: 'kind=text dir=to_client', on: { change: () => this.#restart() } });
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.body = el('tbody', {});
    this.more = button('Show more', () => this.readMore(), { hidden: true, class: 'show-more' });
    this.detail = el('div', { class: 'message-detail' });
    const heads = ['#', 'Time', 'Direction', 'Kind', 'Size', 'Text'].map((text) => el('th', { scope: 'col' }, text));
    content.append(el('div', { class: 'body-bar' }, this.filter), this.problem,
      el('table', { class: 'messages-table', 'aria-label': 'Messages' }, el('thead', {}, el('tr', {}, heads)), this.body), this.more, this.detail);
    state.on('change', () => content.isConnected && this.readMore());
  }

  #restart() {
    this.#last = null;
    this.body.replaceChildren();
    this.readMore();
  }

  async readMore() {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const query = { filter: this.filter.value.trim() || undefined, after: this.#last ?? undefined, limit: PAGE };
      const { messages, next } = await json(exchangePath(this.exchange.id, '/messages'), { query });
      this.problem.textContent = '';
      this.body.append(...messages.map((message) => this.#row(message)));
      if (messages.length) this.#last = messages.at(-1).position;
      this.more.hidden = next === null || next === undefined;
    } catch (problem) {
      setText(this.problem, problem.message);
    } finally {
      this.#isReading = false;
    }
  }

  #row(message) {
    const isOut = message.direction === 'to_server';
    const text = message.text ?? message.reason ?? message.data ?? (message.base64 ? '(binary)' : '');
    const open = button(String(text).slice(0, 300) || '(empty)', () => this.#show(message), { class: 'message-text' });
    return el('tr', { class: message.problem ? 'bad' : '' }, el('td', { class: 'amount' }, String(message.position)),
      el('td', {}, time(message.at)), el('td', {}, isOut ? '→ to the server' : '← to the client'), el('td', {}, message.kind),
      el('td', { class: 'amount' }, bytes(message.bytes)), el('td', { class: 'wide' }, open));
  }

  #show(message) {
    let shown = el('pre', {}, message.text ?? message.base64 ?? message.reason ?? '');
    try {
      const node = readJSON(message.text ?? '');
      if (node.items) shown = jsonTree(node);
    } catch {
      // Not JSON: shown as text.
    }
    const facts = [message.problem, message.code && `code ${message.code}`, message.event && `event ${message.event}`].filter(Boolean);
    this.detail.replaceChildren(el('h3', {}, `Message ${message.position}`), facts.length ? el('p', {}, facts.join(', ')) : '', shown);
  }
}
