// The panel for files that were dropped on the page or chosen: they are looked into in a new tab, or
// imported into the list.

import { Problem } from './api.js';
import { field, openDialog } from './dialog.js';
import { button, el, setText } from './dom.js';
import { bytes, counted } from './format.js';
import { icon } from './icons.js';
import { fileLine, importedFilter, message, outcome, remarkList } from './import-outcome.js';
import { importProblem, isTooLarge, whyNothing } from './import-problems.js';
import { upload } from './import-upload.js';
import { state } from './state.js';

const KINDS = 'HAR, mitmproxy flows, Charles session, Fiddler archive, packet file (pcap, pcapng) or JSON lines';

let panel = null;

/// Opens the panel, or gives the files to the one that is open.
export function openImport(files = []) {
  panel ??= new ImportPanel();
  panel.take(files);
}

class ImportPanel {
  #files = [];
  #tag = el('input', { type: 'text', autocomplete: 'off', spellcheck: false });
  #running = null;

  constructor() {
    this.chooser = el('input', {
      type: 'file', multiple: true, hidden: true, 'aria-label': 'File', on: { change: () => this.take([...this.chooser.files]) },
    });
    this.dialog = openDialog('Open a file', [], [], { closed: () => this.#closed() });
    this.dialog.element.addEventListener('keydown', (event) => this.#press(event), { capture: true });
    this.content = this.dialog.element.querySelector('.dialog-content');
    this.actions = this.dialog.element.querySelector('.dialog-actions');
  }

  /// Escape cancels an upload, and leaves the panel open.
  #press(event) {
    if (event.key !== 'Escape' || !this.#running) return;
    event.preventDefault();
    this.#running.abort();
  }

  #closed() {
    this.#running?.abort();
    panel = null;
  }

  take(files) {
    if (this.#running) return;
    if (files.length) this.#files = files;
    const reason = whyNothing();
    if (reason) return this.#show([message('error', 'Nothing can be opened here', reason)], [this.#closeButton()]);
    if (this.#files.length === 0) return this.#ask();
    this.#offer();
  }

  // What the panel shows

  #show(content, actions) {
    this.content.replaceChildren(...content, this.chooser);
    this.actions.replaceChildren(...actions);
    (actions.findLast((one) => one.matches('.primary')) ?? actions.at(-1))?.focus();
  }

  #closeButton(text = 'Close') {
    return button(text, () => this.dialog.close());
  }

  #chooseButton() {
    return button('Another file…', () => this.chooser.click());
  }

  #ask() {
    const choose = button('Choose a file…', () => this.chooser.click(), { class: 'primary' });
    const place = el('div', { class: 'drop-place' }, icon('import', 24), el('b', {}, 'Drop a file here'), el('span', { class: 'dim' }, KINDS), choose);
    this.#show([place], [this.#closeButton('Cancel')]);
    choose.focus();
  }

  #offer() {
    const isOne = this.#files.length === 1;
    const look = isOne ? [button('Look into it', () => this.#look())] : [];
    this.#show([
      el('ul', { class: 'import-files' }, this.#files.map((file) => fileLine(file))),
      isOne ? el('p', { class: 'dim' }, el('b', {}, 'Look into it'), ' opens it in a new tab; nothing is stored.') : null,
      el('p', { class: 'dim' }, el('b', {}, isOne ? 'Import it' : 'Import them'), ' adds the exchanges to the list.'),
      field('Tag', this.#tag, 'Optional. The filter tag=… then finds what was imported.'),
    ].filter(Boolean), [this.#closeButton('Cancel'), ...look, button(isOne ? 'Import it' : 'Import them', () => this.#import(), { class: 'primary' })]);
  }

  /// Sends the files one after another; returns what became of each, or null if it was cancelled.
  async #send(query) {
    const results = [];
    this.#running = new AbortController();
    for (const file of this.#files) {
      const sent = this.#progress(file);
      try {
        if (isTooLarge(file)) throw new Problem(413, '');
        results.push({ file, answer: await upload(file, query, sent, this.#running.signal) });
      } catch (problem) {
        if (problem.name === 'AbortError') return this.#cancelled();
        results.push({ file, problem });
      }
    }
    this.#running = null;
    return results;
  }

  #cancelled() {
    this.#running = null;
    if (panel) this.#offer();
    return null;
  }

  #progress(file) {
    const text = el('span', { role: 'status' }, 'Sending…');
    const bar = el('progress', { max: Math.max(1, file.size), value: 0, 'aria-label': `Sending ${file.name}` });
    const place = this.#files.length > 1 ? `${this.#files.indexOf(file) + 1} of ${this.#files.length}: ` : '';
    this.#show([fileLine(file, 'div'), bar, text], [button('Cancel', () => this.#running.abort())]);
    return (loaded) => {
      bar.value = loaded;
      if (loaded < file.size) return setText(text, `${place}${bytes(loaded)} of ${bytes(file.size)} sent`);
      // How long reading takes is not known.
      bar.removeAttribute('value');
      setText(text, `${place}reading the exchanges…`);
    };
  }

  async #look() {
    const results = await this.#send({ mode: 'look' });
    if (!results) return;
    const [{ file, answer, problem }] = results;
    if (problem) return this.#failed([{ file, problem }]);
    const url = new URL(`/files/${encodeURIComponent(answer.file)}/`, location.href).href;
    const open = () => globalThis.open(url, '_blank');
    const isOpen = open() !== null;
    const title = `${counted(answer.exchanges, 'exchange')} in ${answer.name}`;
    const text = isOpen ? 'It is open in a new tab.' : 'The browser did not let this page open a tab by itself.';
    const again = button(isOpen ? 'Open it again' : 'Open it in a new tab', open, { class: 'primary' });
    this.#show([message('check', title, text, remarkList(answer.remarks))], [this.#closeButton(), again]);
  }

  async #import() {
    const tag = this.#tag.value.trim();
    const results = await this.#send({ mode: 'import', tag: tag || undefined });
    if (!results) return;
    const done = results.filter((one) => one.answer);
    if (done.length === 0) return this.#failed(results);
    const shown = done.filter(({ answer }) => answer.imported > 0);
    const show = button('Show them', () => {
      state.set('filter', importedFilter(shown.map(({ answer }) => answer)));
      state.set('view', 'list');
      this.dialog.close();
    }, { class: 'primary' });
    this.#show(results.map(outcome), [this.#closeButton(), ...(shown.length ? [show] : [this.#chooseButton()])]);
  }

  #failed(results) {
    const canRetry = results.some(({ file, problem }) => importProblem(problem, file).canRetry);
    this.#show(results.map(outcome), [
      this.#closeButton(), ...(canRetry ? [this.#chooseButton(), button('Try again', () => this.#offer(), { class: 'primary' })] : [this.#chooseButton()]),
    ]);
  }
}
