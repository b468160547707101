// Edits a copy of a request, or an empty one, sends it, and shows what comes back.

import { exchangePath, json } from './api.js';
import { ComposeAnswer } from './compose-answer.js';
import { ComposeBody } from './compose-body.js';
import { readPairs, splitURL, writePairs } from './compose-pairs.js';
import { openDialog } from './dialog.js';
import { button, el, setText } from './dom.js';
import { methodList } from './message-editor.js';
import { PairEditor } from './pair-editor.js';
import { opened } from './sent.js';
import { state } from './state.js';
import { makeTabs } from './tabs.js';

/// Opens the composer. `exchange` is null for a new request, of which `given` may say `method`,
/// `url`, `headers` and `body`.
export function openComposer(exchange, given = null) {
  new Composer(exchange, given);
}

class Composer {
  #sending = null;

  constructor(exchange, given) {
    this.exchange = exchange;
    const changed = () => this.#changed();
    const input = (label, value, more) => el('input', { type: 'text', value, spellcheck: false, 'aria-label': label, ...more });
    this.method = input('Method', exchange?.method ?? given?.method ?? 'GET', { class: 'method', on: { input: changed } });
    this.method.setAttribute('list', methodList());
    this.url = input('URL', exchange?.url ?? given?.url ?? 'https://', { class: 'url', autofocus: true, on: { input: () => this.#urlChanged() } });
    this.query = new PairEditor('Parameter', readPairs(splitURL(this.url.value).query), { changed: () => this.#queryChanged() });
    const headers = exchange?.request?.headers ?? given?.headers ?? [];
    this.headers = new PairEditor('Header', headers.map(([name, value]) => ({ name, value })), { changed, suggestsHeaders: true });
    this.body = new ComposeBody(exchange, given, this.headers, changed);
    this.verify = el('input', { type: 'checkbox', role: 'switch', checked: true, on: { change: changed } });
    this.answer = new ComposeAnswer(exchange, (id) => this.#openExchange(id));
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.before = given ? '' : this.#written();
    this.#open();
  }

  #open() {
    this.sendButton = button('Send', () => (this.#sending ? this.#sending.abort() : this.#send()), { class: 'primary', title: 'Control and Enter' });
    const show = (editor) => (content) => content.append(editor);
    this.tabs = makeTabs('Parts of the request', [
      { name: 'Query', fill: show(this.query.element) }, { name: 'Headers', fill: show(this.headers.element) },
      { name: 'Body', fill: show(this.body.element) }, { name: 'Options', fill: show(this.#options()) },
    ], this.#firstTab());
    const request = el('section', { class: 'compose-request', 'aria-label': 'Request' },
      el('div', { class: 'start-fields' }, this.method, this.url, this.sendButton), this.problem, this.tabs.list, this.tabs.panel);
    const title = this.exchange ? `Edit and send ${this.exchange.id}` : 'New request';
    this.dialog = openDialog(title, [el('div', { class: 'compose-panes' }, request, this.answer.element)], [], {
      isWide: true, hasDraft: () => this.#written() !== this.before, closed: () => this.#sending?.abort(),
    });
    this.dialog.element.classList.add('composer');
    this.dialog.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#send();
    });
    this.#count();
  }

  /// Opens at what is most likely edited.
  #firstTab() {
    if (this.body.kind !== 'none') return 'Body';
    return this.query.pairs.length || !this.exchange ? 'Query' : 'Headers';
  }

  #options() {
    return el('div', { class: 'fields' }, el('label', { class: 'switch-line' }, this.verify, 'Verify the certificate of the server'),
      el('p', { class: 'dim' }, 'Host and the headers about the length of the body follow the URL and the body. Redirects are not followed.'));
  }

  /// All that can be typed, for telling whether anything was.
  #written() {
    const pairs = (editor) => editor.pairs.map(({ name, value }) => [name, value]);
    return JSON.stringify([this.method.value, this.url.value, pairs(this.headers), this.body.written, this.verify.checked]);
  }

  #changed() {
    if (this.tabs) this.#count();
  }

  /// The tabs say how much there is.
  #count() {
    const notes = [this.query.pairs.length, this.headers.pairs.length, this.body.kind === 'none' ? '' : '●', this.verify.checked ? '' : '●'];
    [...this.tabs.list.children].forEach((tab, place) => {
      tab.dataset.note = notes[place] || '';
    });
  }

  #urlChanged() {
    this.query.set(readPairs(splitURL(this.url.value).query));
    this.#changed();
  }

  #queryChanged() {
    const { base, fragment } = splitURL(this.url.value);
    const query = writePairs(this.query.pairs);
    this.url.value = `${base}${query ? `?${query}` : ''}${fragment}`;
    this.#changed();
  }

  #request() {
    const headers = this.headers.pairs.map(({ name, value }) => [name.trim(), value.trim()]);
    return { method: this.method.value.trim(), url: this.url.value.trim(), headers, verify: this.verify.checked, ...this.body.members() };
  }

  async #send() {
    if (this.#sending) return;
    setText(this.problem, '');
    this.#setSending(new AbortController());
    try {
      const path = this.exchange ? exchangePath(this.exchange.id, '/replay') : '/send';
      const sent = await json(path, { method: 'POST', body: this.#request(), signal: this.#sending.signal });
      this.before = this.#written();
      await this.#show(sent);
    } catch (problem) {
      if (problem.name !== 'AbortError') this.#refuse(problem);
    } finally {
      this.#setSending(null);
    }
  }

  /// While the request is on its way, the button ends it.
  #setSending(controller) {
    this.#sending = controller;
    this.sendButton.textContent = controller ? 'Cancel' : 'Send';
    this.sendButton.classList.toggle('primary', controller === null);
    this.answer.setBusy(controller !== null);
  }

  /// The new exchange is marked in the list; the request stays here to be sent again.
  async #show(sent) {
    this.dialog.element.classList.add('answered');
    opened(sent, { say: () => {} });
    if (sent.recorded_as) return this.answer.say(`Sent; recorded in the data directory as exchange ${sent.recorded_as}.`);
    await this.answer.show(String(sent.id));
  }

  /// What is wrong with the request is said beside it, what failed on the way where the answer would be.
  #refuse(problem) {
    if (problem.status !== 502) return setText(this.problem, problem.message);
    this.dialog.element.classList.add('answered');
    this.answer.refuse(problem);
  }

  #openExchange(id) {
    this.dialog.close();
    state.set('openId', String(id));
  }
}
