// The tab Messages: those of a WebSocket, an event stream or a gRPC call, live as they arrive.

import { exchangePath, text } from './api.js';
import { copyText } from './clipboard.js';
import { button, el, setText } from './dom.js';
import { bytes, time } from './format.js';
import { member, plainValue, readJSON } from './json-text.js';
import { messageDetail, messageFacts, messageLine, messageOf, messageText } from './message-content.js';
import { state } from './state.js';

const PAGE = 200;
const NAME_LENGTH = 60;
/// On a narrow screen only those without a class stay as they are.
const HEADS = [['#', ''], ['Time', 'at'], ['Direction', 'direction'], ['Kind', ''], ['Size', 'size'], ['Text', 'wide']];

export class MessageList {
  /// The list as an element. It follows by itself until `stop` is called.
  element = el('div', { class: 'message-list' });
  #last = null;
  #isReading = false;

  constructor(exchange) {
    this.exchange = exchange;
    this.filter = el('input', { type: 'search', 'aria-label': 'Filter messages', placeholder: 'kind=text dir=to_client', on: { change: () => this.#restart() } });
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.body = el('tbody', {});
    this.more = button('Show more', () => this.readMore(), { hidden: true, class: 'show-more' });
    this.detail = el('div', { class: 'message-detail', role: 'group', 'aria-label': 'Content of the message' });
    const heads = HEADS.map(([text, name]) => el('th', { scope: 'col', class: name }, text));
    this.element.append(el('div', { class: 'body-bar' }, this.filter), this.problem,
      el('table', { class: 'messages-table', 'aria-label': 'Messages' }, el('thead', {}, el('tr', {}, heads)), this.body), this.more, this.detail);
    state.on('change', this.#follow);
    this.readMore();
  }

  #follow = () => this.element.isConnected && this.readMore();

  stop() {
    state.removeEventListener('change', this.#follow);
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
      const page = readJSON(await text(exchangePath(this.exchange.id, '/messages'), { query }));
      const messages = member(page, 'messages').items.map(({ node }) => messageOf(node));
      const next = plainValue(member(page, 'next'));
      this.problem.textContent = '';
      this.body.append(...messages.map((message) => this.#row(message)));
      if (messages.length) this.#last = messages.at(-1).position;
      this.more.hidden = next === null;
    } catch (problem) {
      setText(this.problem, problem.message);
    } finally {
      this.#isReading = false;
    }
  }

  #row(message) {
    const isOut = message.direction === 'to_server';
    const line = messageLine(message);
    const open = button(line, () => this.#show(message), {
      class: 'message-text', 'aria-label': `Message ${message.position}: ${line.slice(0, NAME_LENGTH)}`,
    });
    return el('tr', { class: message.problem ? 'bad' : '' }, el('td', { class: 'amount' }, String(message.position)),
      el('td', { class: 'at' }, time(message.at)), el('td', { class: 'direction' }, isOut ? '→ to the server' : '← to the client'), el('td', {}, message.kind),
      el('td', { class: 'amount size' }, bytes(message.bytes)), el('td', { class: 'wide' }, open));
  }

  #show(message) {
    const facts = messageFacts(message);
    const copy = button('Copy', () => copyText(messageText(message), 'Copied the message'), { class: 'quiet', 'aria-label': 'Copy the message' });
    this.detail.replaceChildren(
      el('div', { class: 'detail-head' }, el('h3', {}, `Message ${message.position}`), el('span', { class: 'dim grow' }, facts.join(', ')), copy),
      ...messageDetail(message));
    this.detail.scrollIntoView({ block: 'nearest' });
  }
}
