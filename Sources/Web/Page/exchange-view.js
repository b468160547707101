// <exchange-view>: an open exchange, in tabs.

import { exchangePath, json } from './api.js';
import { button, el, settled, throttled } from './dom.js';
import { emptyState } from './empty-state.js';
import { exchangeHead, placeSwitch } from './exchange-head.js';
import { hasCookies } from './cookies.js';
import { MessagePane } from './message-pane.js';
import { soughtIn } from './sought.js';
import { state } from './state.js';
import { fillChanges } from './tab-changes.js';
import { fillCookies } from './tab-cookies.js';
import { MessageList } from './tab-messages.js';
import { fillOverview, showOverview } from './tab-overview.js';
import { chooseRawMode, fillRaw } from './tab-raw.js';
import { fillSecurity } from './tab-security.js';
import { fillTiming } from './tab-timing.js';
import { makeTabs } from './tabs.js';

const BESIDE_WIDTH = 1000;
const SCROLLS = { ArrowDown: 40, ArrowUp: -40, PageDown: 0.9, PageUp: -0.9, ' ': 0.9, Home: -Infinity, End: Infinity };
const PARTS = ['request', 'response'];
const RAW_KEYS = { 6: 'text', 7: 'hex' };

export class ExchangeView extends HTMLElement {
  exchange = null;
  /// The tab that the user chose, which stays for the next exchange.
  tab = 'Overview';
  #abort = new AbortController();
  #seen = '';
  #panes = PARTS.map((part) => new MessagePane(part, () => this.tabs.choose('Messages')));
  #places = placeSwitch();
  #head = null;
  #soughtPart = null;
  #messages = null;

  connectedCallback() {
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', 'Exchange');
    this.tabIndex = -1;
    this.hidden = true;
    this.addEventListener('keydown', (event) => this.#scroll(event));
    state.on('openId', () => this.#open());
    state.on('filter', settled(() => this.#seekAgain(), 300));
    state.on('change', throttled(() => this.#readAgain(), 700));
    if (state.openId) this.#open();
  }

  #open() {
    this.hidden = state.openId === null;
    document.body.classList.toggle('has-exchange', !this.hidden);
    if (this.hidden) return this.#forget();
    this.setAttribute('aria-label', `Exchange ${state.openId}`);
    this.#read();
  }

  #forget() {
    this.#abort.abort();
    this.exchange = null;
    this.tabs = null;
    this.#seen = '';
    this.#forgetMessages();
    for (const pane of this.#panes) pane.stop();
    this.replaceChildren();
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
      this.#draw(exchange);
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      this.#forget();
      this.replaceChildren(problemState(problem));
    }
  }

  #readAgain() {
    if (state.openId && this.exchange) this.#read();
  }

  /// Draws the exchange. While it changes, only what has changed is drawn again, and the focus stays
  /// on what has the same name.
  #draw(exchange) {
    const isOther = this.exchange?.id !== exchange.id;
    const focused = this.contains(document.activeElement) ? document.activeElement : null;
    this.exchange = exchange;
    if (isOther) this.#seek();
    const shown = this.#tabs().filter((tab) => !tab.isEmpty);
    const names = shown.map((tab) => tab.name).join();
    if (isOther || this.names !== names) {
      this.names = names;
      this.tabs = makeTabs('Parts of the exchange', shown, isOther ? this.#first() : this.tabs.current, (name) => {
        this.tab = name;
      });
      this.replaceChildren(this.#headOf(exchange), this.tabs.list, this.tabs.panel);
    } else {
      this.firstChild.replaceWith(this.#headOf(exchange));
      this.tabs.refresh();
    }
    if (focused && !focused.isConnected) this.#focusNamed(nameOf(focused));
  }

  /// The head stays the same element while it says the same, so that menus in it stay open.
  #headOf(exchange) {
    const { id, method, url, status, error, state: now, grpc_status: code, pinned, tags, note, request } = exchange;
    const seen = JSON.stringify([id, method, url, status, error, now, code, pinned, tags, note, request?.body_bytes, state.status?.read_only]);
    if (this.#head?.seen !== seen) this.#head = { seen, element: exchangeHead(this, this.#places) };
    return this.#head.element;
  }

  /// Finds the message that has what the filter seeks in bodies; the response first.
  #seek() {
    this.#soughtPart = PARTS.toReversed().find((part) => isSought(this.exchange[part]?.body_text, part)) ?? null;
  }

  #seekAgain() {
    if (!this.tabs) return;
    this.#seek();
    this.tabs.refresh();
  }

  /// A WebSocket or an event stream opens at its messages; those of a call are on the overview.
  #first() {
    const { messages, protocol } = this.exchange;
    return this.tab === 'Overview' && messages && protocol !== 'grpc' && !this.#soughtPart ? 'Messages' : this.tab;
  }

  #focusNamed(name) {
    const found = [...this.querySelectorAll('button, [tabindex], input, select')].find((one) => nameOf(one) === name);
    (found ?? this).focus({ preventScroll: true });
  }

  /// All tabs with their keys, which stay the same if one has nothing to show. Key 7 is Raw in hex.
  #tabs() {
    const now = () => this.exchange;
    return [
      { name: 'Overview', key: '1', follows: true, fill: (content) => fillOverview(content, now()), show: (content) => this.#showOverview(content) },
      { name: 'Request', key: '2', follows: true, fill: () => {}, show: (content) => this.#showPane(content, this.#panes[0]) },
      { name: 'Response', key: '3', follows: true, fill: () => {}, show: (content) => this.#showPane(content, this.#panes[1]) },
      { name: 'Cookies', key: '4', isEmpty: !hasCookies(now() ?? {}), fill: (content) => fillCookies(content, now()) },
      { name: 'Timing', key: '5', fill: (content) => fillTiming(content, now()) },
      { name: 'Raw', key: '6', fill: (content) => fillRaw(content, now()) },
      { name: 'Messages', key: '8', isEmpty: !now()?.messages, follows: true, fill: () => {}, show: (content) => this.#showMessages(content) },
      { name: 'Changes', key: '9', isEmpty: !hasChanges(now() ?? {}), fill: (content) => fillChanges(content, now()) },
      { name: 'Security', key: '0', fill: (content) => fillSecurity(content, now()) },
    ];
  }

  #showOverview(content) {
    this.#panes.forEach((pane) => this.#update(pane));
    showOverview(content, this.exchange, this.#panes);
  }

  #showPane(content, pane) {
    this.#update(pane);
    if (pane.element.parentElement !== content) content.replaceChildren(pane.element);
  }

  #update(pane) {
    pane.show(this.exchange, { goesToSought: pane.part === this.#soughtPart, opensHeaders: this.clientWidth >= BESIDE_WIDTH });
  }

  /// The messages follow by themselves: what is chosen among them stays while the exchange changes.
  #showMessages(content) {
    if (this.#messages?.exchange.id !== this.exchange.id) {
      this.#forgetMessages();
      this.#messages = new MessageList(this.exchange);
    } else {
      this.#messages.readMore();
    }
    if (this.#messages.element.parentElement !== content) content.replaceChildren(this.#messages.element);
  }

  #forgetMessages() {
    this.#messages?.stop();
    this.#messages = null;
  }

  /// Keys scroll what is shown, also before anything in it has the focus.
  #scroll(event) {
    const step = SCROLLS[event.key];
    if (step === undefined || event.target !== this || event.ctrlKey || event.altKey || event.metaKey) return;
    const scrolls = (one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === 'auto';
    const place = [...this.querySelectorAll('.half.response, .half, .sides, .panel')].find(scrolls);
    if (!place) return;
    event.preventDefault();
    event.stopPropagation();
    const length = Math.abs(step) < 1 ? step * place.clientHeight : step;
    place.scrollTop = Math.min(place.scrollHeight, Math.max(0, place.scrollTop + length));
  }

  /// Shows a tab by its key.
  chooseTab(key) {
    if (this.hidden) return;
    if (key in RAW_KEYS) chooseRawMode(RAW_KEYS[key]);
    // What is still being read is shown in this tab, too.
    const tab = this.#tabs().find((one) => one.key === (key in RAW_KEYS ? '6' : key));
    const isRead = this.exchange?.id === state.openId;
    if (!tab || (isRead && tab.isEmpty)) return;
    this.tab = tab.name;
    if (!isRead) return;
    this.tabs.choose(tab.name);
    if (tab.name === 'Raw') this.tabs.refresh();
  }

  /// Puts the caret into the search of the body that is shown.
  focusSearch() {
    if (!this.exchange) return;
    if (!['Overview', 'Request', 'Response'].includes(this.tabs.current)) this.tabs.show('Overview');
    const shown = this.#panes.filter((pane) => pane.element.isConnected);
    shown.toReversed().some((pane) => pane.focusSearch());
  }
}

function problemState({ message }) {
  const close = button('Close', () => state.set('openId', null));
  return el('div', { role: 'alert' }, emptyState({ icon: 'error', title: `${message[0].toUpperCase()}${message.slice(1)}`, actions: [close] }));
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
