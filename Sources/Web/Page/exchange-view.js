// <exchange-view>: an open exchange, in tabs.

import { exchangePath, json } from './api.js';
import { exchangeActions } from './exchange-actions.js';
import { button, el, throttled } from './dom.js';
import { outcome, outcomeSign, outcomeText } from './format.js';
import { grpcFailure } from './grpc-status.js';
import { soughtIn } from './sought.js';
import { state } from './state.js';
import { fillChanges } from './tab-changes.js';
import { fillMessage } from './tab-message.js';
import { MessageList } from './tab-messages.js';
import { fillOverview } from './tab-overview.js';
import { fillSecurity } from './tab-security.js';
import { fillTiming } from './tab-timing.js';
import { makeTabs } from './tabs.js';

const BESIDE_WIDTH = 1000;

export class ExchangeView extends HTMLElement {
  exchange = null;
  tab = 'Overview';
  #abort = new AbortController();
  #seen = '';
  #isOpening = false;
  #soughtTab = null;
  #messages = null;

  connectedCallback() {
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', 'Exchange');
    this.tabIndex = -1;
    this.hidden = true;
    state.on('openId', () => this.#open());
    state.on('change', throttled(() => this.#readAgain(), 700));
    if (state.openId) this.#open();
  }

  #open() {
    this.hidden = state.openId === null;
    document.body.classList.toggle('has-exchange', !this.hidden);
    if (this.hidden) {
      this.exchange = null;
      this.#seen = '';
      this.#forgetMessages();
      return this.replaceChildren();
    }
    this.setAttribute('aria-label', `Exchange ${state.openId}`);
    this.#isOpening = true;
    this.#read();
  }

  async #read() {
    this.#abort.abort();
    this.#abort = new AbortController();
    const id = state.openId;
    try {
      const exchange = await json(exchangePath(id), { signal: this.#abort.signal });
      const text = JSON.stringify(exchange);
      if (text === this.#seen) return;
      this.#seen = text;
      this.exchange = exchange;
      this.#draw();
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      this.#seen = '';
      this.replaceChildren(this.#closeButton(), el('p', { class: 'bad' }, problem.message));
    }
  }

  #readAgain() {
    if (state.openId && this.exchange) this.#read();
  }

  /// Draws the exchange; the focus stays on what has the same name.
  #draw() {
    const { exchange } = this;
    const focused = this.contains(document.activeElement) ? nameOf(document.activeElement) : null;
    const place = this.tabs?.panel.scrollTop ?? 0;
    const isSame = this.shownId === exchange.id;
    this.shownId = exchange.id;
    if (this.#isOpening) this.#soughtTab = this.#tabOfSought();
    this.#isOpening = false;
    const shown = this.#tabs().filter((tab) => !tab.isEmpty);
    this.tabs = makeTabs('Parts of the exchange', shown, this.#soughtTab ?? this.tab, (name) => {
      this.tab = name;
      this.#soughtTab = null;
    });
    this.replaceChildren(this.#header(), this.tabs.list, this.tabs.panel);
    if (isSame) this.tabs.panel.scrollTop = place;
    if (focused) this.#focusNamed(focused);
  }

  /// An exchange that a search in bodies found opens at what was found.
  #tabOfSought() {
    if (this.tab !== 'Overview') return null;
    const part = ['response', 'request'].find((name) => isSought(this.exchange[name]?.body_text, name));
    return part ? { request: 'Request', response: 'Response' }[part] : null;
  }

  #focusNamed(name) {
    const found = [...this.querySelectorAll('button, [tabindex], input, select')].find((one) => nameOf(one) === name);
    (found ?? this).focus({ preventScroll: true });
  }

  /// All tabs with their keys, which stay the same if one has nothing to show.
  #tabs() {
    const exchange = this.exchange ?? {};
    const both = (content, part) => this.#fillBeside(content, part);
    const tabs = [
      { name: 'Overview', fill: (content) => fillOverview(content, exchange) },
      { name: 'Request', fill: (content) => both(content, 'request') },
      { name: 'Response', fill: (content) => both(content, 'response') },
      { name: 'Messages', isEmpty: !exchange.messages, fill: (content) => content.append(this.#messagesOf(exchange)) },
      { name: 'Timing', fill: (content) => fillTiming(content, exchange) },
      { name: 'Security', fill: (content) => fillSecurity(content, exchange) },
      { name: 'Changes', isEmpty: !hasChanges(exchange), fill: (content) => fillChanges(content, exchange) },
    ];
    return tabs.map((tab, index) => ({ ...tab, key: String(index + 1) }));
  }

  /// The messages follow by themselves: what is chosen among them stays while the exchange changes.
  #messagesOf(exchange) {
    if (this.#messages?.exchange.id !== exchange.id) {
      this.#forgetMessages();
      this.#messages = new MessageList(exchange);
    } else {
      this.#messages.readMore();
    }
    return this.#messages.element;
  }

  #forgetMessages() {
    this.#messages?.stop();
    this.#messages = null;
  }

  /// On a wide screen, the other message is shown next to the chosen one.
  #fillBeside(content, part) {
    if (this.clientWidth < BESIDE_WIDTH) return fillMessage(content, this.exchange, part);
    content.classList.add('beside');
    for (const side of ['request', 'response']) {
      const half = el('section', { class: 'half', 'aria-label': side === 'request' ? 'Request' : 'Response' });
      fillMessage(half, this.exchange, side);
      content.append(half);
    }
  }

  #header() {
    const { exchange } = this;
    const status = [exchange.status ?? (exchange.error ? 'failed' : exchange.state), grpcFailure(exchange)].filter(Boolean).join(' · ');
    const title = el('h2', { class: 'exchange-title', title: exchange.url },
      el('span', { class: `status ${outcome(exchange)}` }, el('span', { 'aria-hidden': 'true' }, `${outcomeSign(exchange)} `),
        exchange.status ? el('span', { class: 'unseen' }, `${outcomeText(exchange)} `) : null, status),
      el('span', { class: 'method' }, exchange.method ?? ''), el('span', { class: 'url' }, exchange.url ?? ''));
    return el('header', { class: 'exchange-head' }, el('div', { class: 'title-line' }, title, this.#closeButton()), exchangeActions(this));
  }

  #closeButton() {
    return button('✕', () => state.set('openId', null), { class: 'quiet close', 'aria-label': 'Close exchange', title: 'Close (Escape)' });
  }

  /// Shows a tab by its number, from 1.
  chooseTab(number) {
    if (this.hidden) return;
    // What is still being read is shown in this tab, too.
    const tab = this.#tabs()[number - 1];
    if (!tab || (this.exchange && tab.isEmpty)) return;
    this.tab = tab.name;
    this.#soughtTab = null;
    this.#isOpening = false;
    this.tabs?.choose(tab.name);
  }

  /// Puts the caret into the search of the body that is shown.
  focusSearch() {
    if (!this.querySelector('.body-search')) this.tabs?.choose(this.exchange?.response?.body_bytes ? 'Response' : 'Request');
    const all = [...this.querySelectorAll('.body-search')];
    all.at(-1)?.focus();
  }
}

function isSought(text, part) {
  const pattern = text ? soughtIn(state.filter, part) : null;
  return pattern !== null && text.search(pattern) >= 0;
}

function hasChanges({ applied_rules: rules, request, response }) {
  return Boolean(rules?.length || request?.sent || response?.sent);
}

function nameOf(element) {
  return element.getAttribute('aria-label') ?? element.textContent;
}

customElements.define('exchange-view', ExchangeView);
