// The tab Messages: those of a WebSocket, an event stream or a gRPC call, live as they arrive.

import { exchangePath, text } from './api.js';
import { copyText } from './clipboard.js';
import { button, el, setText, settled } from './dom.js';
import { bytes, time } from './format.js';
import { icon, iconButton } from './icons.js';
import { member, plainValue, readJSON } from './json-text.js';
import { messageDetail, messageFacts, messageLine, messageOf, messageText } from './message-content.js';
import { state } from './state.js';

const PAGE = 200;
const HEADS = [['#', 'number'], ['Direction', 'direction'], ['Kind', 'kind'], ['Size', 'size'], ['Time', 'at'], ['Text', 'text']];
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class MessageList {
  /// The list as an element. It follows by itself until `stop` is called.
  element = el('div', { class: 'message-list' });
  #last = null;
  #isReading = false;
  #isStale = false;
  /// Counts filters: answers to an earlier one are dropped.
  #generation = 0;

  constructor(exchange) {
    this.exchange = exchange;
    const restart = settled(() => this.#restart(), 200);
    this.filter = el('input', {
      type: 'search', class: 'grow', 'aria-label': 'Filter messages', placeholder: 'kind=text dir=to_client', spellcheck: false, on: { input: restart },
    });
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.body = el('tbody', { on: { keydown: (event) => this.#move(event) } });
    this.more = button('Show more', () => this.readMore(), { hidden: true, class: 'show-more' });
    this.detail = el('section', { class: 'message-detail', tabIndex: 0, role: 'group', 'aria-label': 'Content of the message', hidden: true });
    const heads = HEADS.map(([title, name]) => el('th', { scope: 'col', class: name }, name === 'direction' ? el('span', { class: 'unseen' }, title) : title));
    this.scroller = el('div', { class: 'message-scroller', tabIndex: 0, role: 'group', 'aria-label': 'All messages' },
      el('table', { class: 'messages-table', 'aria-label': 'Messages' }, el('thead', {}, el('tr', {}, heads)), this.body), this.more);
    this.element.append(el('div', { class: 'message-bar' }, this.filter, this.problem), el('div', { class: 'message-parts' }, this.scroller, this.detail));
    state.on('change', this.#follow);
    this.readMore();
  }

  #follow = () => this.element.isConnected && this.readMore();

  stop() {
    state.removeEventListener('change', this.#follow);
  }

  #restart() {
    this.#generation += 1;
    this.#isReading = false;
    this.#last = null;
    this.body.replaceChildren();
    this.readMore();
  }

  async readMore() {
    if (this.#isReading) {
      this.#isStale = true;
      return;
    }
    const generation = this.#generation;
    this.#isReading = true;
    this.#isStale = false;
    try {
      const query = { filter: this.filter.value.trim() || undefined, after: this.#last ?? undefined, limit: PAGE };
      const page = readJSON(await text(exchangePath(this.exchange.id, '/messages'), { query }));
      if (generation === this.#generation) this.#take(page);
    } catch (problem) {
      if (generation === this.#generation) setText(this.problem, problem.message);
    }
    if (generation !== this.#generation) return;
    this.#isReading = false;
    if (this.#isStale) this.readMore();
  }

  /// Adds a page. Who looks at the newest message keeps looking at the newest.
  #take(page) {
    const messages = member(page, 'messages').items.map(({ node }) => messageOf(node));
    const next = plainValue(member(page, 'next'));
    const { scroller } = this;
    const isAtEnd = this.#last !== null && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 4;
    setText(this.problem, '');
    this.body.append(...messages.map((message) => this.#row(message)));
    this.#last = next ?? messages.at(-1)?.position ?? this.#last;
    this.more.hidden = next === null;
    // None of these passed the filter; later ones may.
    if (next !== null && messages.length === 0) this.#isStale = true;
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  }

  #row(message) {
    const isOut = message.direction === 'to_server';
    const open = button(messageLine(message), () => this.#show(message, row), { class: 'message-text', 'aria-label': `Message ${message.position}` });
    const words = isOut ? 'to the server' : 'to the client';
    const direction = [icon(isOut ? 'arrow-up' : 'arrow-down', 14), el('span', { class: 'unseen' }, words)];
    const row = el('tr', { class: message.problem ? 'bad' : '', on: { click: (event) => event.target.closest('button') || open.click() } },
      el('td', { class: 'number' }, String(message.position)), el('td', { class: `direction ${isOut ? 'out' : 'in'}`, title: words }, direction),
      el('td', { class: 'kind' }, message.kind), el('td', { class: 'size' }, bytes(message.bytes)), el('td', { class: 'at' }, time(message.at)),
      el('td', { class: 'text' }, open));
    return row;
  }

  #show(message, row) {
    const facts = messageFacts(message);
    this.body.querySelector('[aria-current]')?.removeAttribute('aria-current');
    row.setAttribute('aria-current', 'true');
    this.detail.hidden = false;
    this.detail.replaceChildren(
      el('header', { class: 'half-head' }, el('h3', {}, `Message ${message.position}`), el('span', { class: 'dim grow' }, facts.join(', ')),
        iconButton('copy', 'Copy the message', () => copyText(messageText(message), 'Copied the message'), { class: 'icon quiet' }),
        iconButton('close', 'Close the message', () => this.#hide(row), { class: 'icon quiet' })),
      el('div', { class: 'message-content' }, messageDetail(message)));
    this.detail.scrollTop = 0;
    row.scrollIntoView({ block: 'nearest' });
  }

  #hide(row) {
    row.removeAttribute('aria-current');
    this.detail.hidden = true;
    row.querySelector('button').focus();
  }

  /// Arrow keys go to the message above or below, and open it.
  #move(event) {
    const step = STEPS[event.key];
    const row = event.target.closest('tr');
    if (!step || !row || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (step > 0 ? row.nextElementSibling : row.previousElementSibling)?.querySelector('button');
    next?.focus();
    next?.click();
  }
}
