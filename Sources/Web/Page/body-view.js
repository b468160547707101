// A body in the viewer that fits, or another one. JSON is a tree that is made here; all other
// viewers are the server's, which sends lines of coloured text.

import { blob, exchangePath, json, text } from './api.js';
import { copyText } from './clipboard.js';
import { isCutHere } from './cut-body.js';
import { button, el, saveBlob, setText, settled } from './dom.js';
import { bytes } from './format.js';
import { iconButton } from './icons.js';
import { readJSON } from './json-text.js';
import { foldAll, jsonTree } from './json-tree.js';
import { lineElements } from './lines.js';
import { notifyProblem } from './notices.js';
import { headerOf } from './pairs.js';
import { startOfSought } from './sought-lines.js';
import { soughtIn, textPattern } from './sought.js';
import { state } from './state.js';

const LINES_A_PAGE = 500;
const TITLES = {
  json: 'JSON lines', 'json text': 'JSON', msgpack: 'MessagePack', graphql: 'GraphQL',
};

/// Shows the body of `part`, which is `request` or `response`. Whether it scrolls to what the filter
/// of the list seeks is said by `goesToSought`; `before` is the view of an earlier state of the body.
export class BodyView {
  #viewers = [];
  #viewer = null;
  #isChosen = false;
  #hasAll = false;
  #abort = new AbortController();
  /// What the filter of the list seeks in this body.
  #sought = null;

  constructor(exchange, part, { goesToSought = false, before = null } = {}) {
    this.exchange = exchange;
    this.part = part;
    this.message = exchange[part];
    this.goesToSought = goesToSought;
    this.#sought = soughtIn(state.filter, part);
    this.element = el('div', { class: 'body-view' });
    this.content = el('div', { class: 'body-content', tabIndex: 0, role: 'group', 'aria-label': `Body of the ${part}` });
    this.#build(before?.search.value ?? '');
    this.#start(before);
  }

  #build(search) {
    const name = this.part;
    this.choice = el('select', { class: 'quiet', 'aria-label': `Viewer of the ${name}`, on: { change: () => this.#choose(this.choice.value) } });
    this.search = el('input', {
      type: 'search', class: 'body-search', placeholder: 'Search', 'aria-label': `Search the ${name} body`, value: search,
      on: { input: settled(() => this.#draw(), 150), keydown: (event) => this.#leaveSearch(event) },
    });
    this.facts = el('span', { class: 'dim grow' }, this.#facts());
    this.folds = el('span', { class: 'folds', hidden: true },
      iconButton('unfold', 'Unfold all', () => foldAll(this.content, true), { class: 'icon quiet' }),
      iconButton('fold', 'Fold all', () => foldAll(this.content, false), { class: 'icon quiet' }));
    this.element.append(el('div', { class: 'body-bar' }, el('h3', {}, 'Body'), this.facts,
      this.search, this.choice, this.folds,
      iconButton('copy', `Copy the ${name} body`, () => this.copy(), { class: 'icon quiet', hidden: this.message.body_text === null }),
      iconButton('save', `Save the ${name} body`, () => this.save(), { class: 'icon quiet' })), this.content);
  }

  /// Ends what is being read.
  stop() {
    this.#abort.abort();
  }

  /// The browser empties the field at Escape; an empty one is left.
  #leaveSearch(event) {
    if (event.key !== 'Escape' || this.search.value) return;
    this.content.focus();
    event.stopPropagation();
  }

  #facts() {
    const { body_bytes: all, body_kept_bytes: kept, body_truncated: isCut } = this.message;
    const coding = headerOf(this.message, 'content-encoding');
    const stored = isCut ? `${bytes(kept)} of ${bytes(all)} were stored` : bytes(all);
    if (all === 0) return '';
    const facts = coding ? `${coding}, ${stored}` : stored;
    return this.message.body_problem ? `${facts}, ${this.message.body_problem}` : facts;
  }

  #start(before) {
    const written = this.message.body_text;
    if (written && !isCutHere(this.exchange, this.part) && /^\s*[[{"\d-]/.test(written)) {
      try {
        this.tree = readJSON(written);
        if (this.tree.items) this.#viewers.push({ name: 'tree', title: 'JSON tree' });
      } catch {
        // Not JSON: the server's viewers show it.
      }
    }
    const type = headerOf(this.message, 'content-type') ?? '';
    if (/^image\/(png|jpeg|gif|webp)/i.test(type)) this.#viewers.push({ name: 'image', title: 'Image' });
    this.#isChosen = before ? before.#isChosen : false;
    this.show(this.#isChosen ? before.#viewer : (this.#viewers[0]?.name ?? ''));
  }

  #choose(name) {
    this.#isChosen = true;
    this.show(name);
  }

  /// Shows another viewer.
  show(name) {
    this.#viewer = name;
    this.#draw();
  }

  #draw() {
    this.#abort.abort();
    this.#abort = new AbortController();
    const search = this.search.value.trim();
    this.folds.hidden = this.#viewer !== 'tree' || search !== '';
    this.#offer(this.#viewers);
    if (this.#viewer === 'tree' && !search) {
      this.content.replaceChildren(jsonTree(this.tree, { pattern: this.#sought }));
      this.#showSought();
      return;
    }
    if (this.#viewer === 'image' && !search) return void this.#drawImage();
    this.#drawLines(0, search);
  }

  /// Shows the lines around what the filter has found, which may be far below.
  async #goToSought(view, viewer, signal) {
    if (!this.#sought || !this.goesToSought) return;
    if (this.content.querySelector('mark')) return this.#showSought();
    const whole = isCutHere(this.exchange, this.part) ? null : this.message.body_text;
    if (typeof whole === 'string' && whole.search(this.#sought) < 0) return;
    const options = { viewer, from: view.next, pattern: this.#sought, signal };
    const from = await startOfSought(this.exchange, this.part, options);
    if (from === null) return;
    const query = { viewer, from, count: LINES_A_PAGE };
    this.content.replaceChildren(button('Show the body from its start', () => this.#drawLines(0, '', false), { class: 'show-more' }));
    this.#addLines(await json(exchangePath(this.exchange.id, `/view/${this.part}`), { query, signal }), from, '');
    this.#showSought();
  }

  /// Scrolls to the first place that the filter has found, once it is on the page.
  #showSought() {
    if (this.#sought && this.goesToSought) requestAnimationFrame(() => this.content.querySelector('mark')?.scrollIntoView({ block: 'center' }));
  }

  #offer(viewers) {
    this.choice.replaceChildren(...viewers.map(({ name, title }) => el('option', { value: name }, title)));
    this.choice.value = this.#viewer;
    this.choice.hidden = viewers.length === 0;
    if (this.#hasAll) return;
    this.#hasAll = true;
    json(exchangePath(this.exchange.id, `/view/${this.part}`), { query: { count: 1 } })
      .then((view) => this.#takeViewers(view)).catch(() => {});
  }

  #takeViewers(view) {
    const own = this.#viewers.filter(({ name }) => name === 'tree' || name === 'image');
    const others = view.viewers.filter((name) => !(name === 'json' && this.tree?.items) && !own.some((one) => one.name === name))
      .map((name) => ({ name, title: TITLES[name] ?? name[0].toUpperCase() + name.slice(1) }));
    this.#viewers = [...own, ...others];
    if (!this.#viewer) this.#viewer = view.viewer;
    this.#offer(this.#viewers);
  }

  async #drawImage() {
    const { signal } = this.#abort;
    try {
      const image = await blob(exchangePath(this.exchange.id, `/image/${this.part}`), { signal });
      const url = URL.createObjectURL(image);
      const picture = el('img', { src: url, alt: `Image of the ${this.part}`, class: 'picture' });
      picture.addEventListener('load', () => {
        caption.textContent = `${picture.naturalWidth} × ${picture.naturalHeight}, ${image.type}`;
        URL.revokeObjectURL(url);
      });
      const caption = el('figcaption', { class: 'dim' });
      this.content.replaceChildren(el('figure', {}, picture, caption));
    } catch (problem) {
      if (problem.name !== 'AbortError') this.show('hex');
    }
  }

  async #drawLines(from, search, goesToSought = true) {
    const { signal } = this.#abort;
    const own = ['tree', 'image', ''].includes(this.#viewer);
    const query = {
      viewer: own ? undefined : this.#viewer, from, count: LINES_A_PAGE, search: search || undefined,
    };
    if (own && this.#viewer === 'tree') query.viewer = 'json text';
    try {
      const view = await json(exchangePath(this.exchange.id, `/view/${this.part}`), { query, signal });
      this.#addLines(view, from, search);
      if (from === 0 && !search && goesToSought) await this.#goToSought(view, query.viewer, signal);
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      if (problem.status === 404) this.#drawText(search);
      else this.content.replaceChildren(el('p', { class: 'bad' }, problem.message));
    }
  }

  #addLines(view, from, search) {
    setText(this.facts, [this.#facts(), view.remark].filter(Boolean).join(', '));
    const lines = view.lines.length ? lineElements(view.lines, search ? textPattern(search) : this.#sought) : [];
    const page = el('div', { class: 'lines' }, lines);
    // The head of the body says what is true of all that was stored.
    const problem = view.problem === this.message.body_problem ? null : view.problem;
    if (from === 0) this.content.replaceChildren(...[problem].filter(Boolean).map((text) => el('p', { class: 'dim' }, text)), page);
    else this.content.append(page);
    if (lines.length === 0 && from === 0) {
      page.append(el('p', { class: 'dim' }, search ? 'Nothing found.' : 'The body is empty.'));
    }
    if (view.next === null || view.next === undefined) return;
    const more = button(`Show more (${view.line_count} lines)`, () => {
      more.remove();
      this.#drawLines(view.next, search);
    }, { class: 'show-more' });
    this.content.append(more);
  }

  /// Without viewers on the server, a text is shown as it is.
  #drawText(search) {
    const written = this.message.body_text;
    if (written === null) {
      this.content.replaceChildren(el('p', { class: 'dim' }, 'The body is not text. Save it to look at it.'));
      return;
    }
    const lines = written.split('\n').map((line, number) => ({ number, spans: [{ text: line }] }));
    const found = search ? lines.filter((line) => line.spans[0].text.toLowerCase().includes(search.toLowerCase())) : lines;
    this.#addLines({ lines: found.slice(0, 5000), next: null }, 0, search);
  }

  /// Copies the body with its content codings removed.
  copy() {
    const isWhole = typeof this.message.body_text === 'string' && !isCutHere(this.exchange, this.part);
    const body = isWhole ? this.message.body_text : text(exchangePath(this.exchange.id, `/body/${this.part}`), { query: { decoded: true } });
    return copyText(body, `Copied the ${this.part} body`);
  }

  /// Saves the body with its content codings removed.
  async save() {
    const { id, path } = this.exchange;
    try {
      const body = await blob(exchangePath(id, `/body/${this.part}`), { query: { decoded: true } });
      const name = (path ?? '').split('/').pop().replace(/[^\w.-]+/g, '_').slice(-80);
      saveBlob(body, name.includes('.') ? name : `${name || 'body'}-${id}-${this.part}`);
    } catch (problem) {
      notifyProblem(problem);
    }
  }
}
