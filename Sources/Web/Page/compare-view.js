// Two sets of exchanges: what is new, gone, changed or slower.

import { json } from './api.js';
import { field, openDialog } from './dialog.js';
import { openDiff } from './diff-view.js';
import { button, el, setText } from './dom.js';
import { count } from './format.js';
import { state } from './state.js';

const KINDS = ['new', 'gone', 'changed', 'slower'];
const BADGES = { new: 'good', gone: 'bad', changed: 'notice', slower: 'notice' };

/// Asks for two filters, and compares what they show.
export function openCompare() {
  new Comparison().show();
}

class Comparison {
  constructor() {
    const filterInput = (value) => el('input', { type: 'text', value, spellcheck: false, autocomplete: 'off', placeholder: 'everything' });
    this.before = filterInput('');
    this.after = filterInput(state.filter);
    this.ignore = el('input', { type: 'text', spellcheck: false, autocomplete: 'off', placeholder: 'query:NAME form:NAME json:PATH' });
    this.anyServer = el('input', { type: 'checkbox', role: 'switch' });
    this.remark = el('p', { class: 'dim', role: 'status' });
    this.place = el('div', { class: 'diff-place', tabIndex: 0, role: 'group', 'aria-label': 'Differences', hidden: true });
  }

  show() {
    const form = el('form', { class: 'compare-form', on: { submit: (event) => this.#submit(event) } },
      field('Before', this.before), field('After', this.after), field('Ignore', this.ignore),
      el('label', { class: 'switch' }, this.anyServer, ' Any server'),
      el('button', { type: 'submit', class: 'primary' }, 'Compare'), button('Swap', () => this.#swap()));
    this.dialog = openDialog('Compare two sets', [form, this.remark, this.place], [],
      { isWide: true, closed: () => this.abort?.abort() });
    this.dialog.element.classList.add('full', 'compare');
  }

  #submit(event) {
    event.preventDefault();
    this.#read();
  }

  #swap() {
    [this.before.value, this.after.value] = [this.after.value, this.before.value];
    this.#read();
  }

  async #read() {
    this.abort?.abort();
    this.abort = new AbortController();
    this.place.hidden = true;
    setText(this.remark, 'Comparing…');
    const query = new URLSearchParams({ before: this.before.value, after: this.after.value, any_server: this.anyServer.checked });
    for (const entry of this.ignore.value.split(/\s+/).filter(Boolean)) query.append('ignore', entry);
    try {
      this.#draw(await json('/compare', { query, signal: this.abort.signal }));
    } catch (problem) {
      if (problem.name !== 'AbortError') setText(this.remark, problem.message);
    }
  }

  #draw({ same, counts, differences, truncated }) {
    const found = KINDS.map((kind) => `${count(counts[kind])} ${kind}`);
    const more = truncated ? `; the first ${count(differences.length)} are shown` : '';
    setText(this.remark, `${[`${count(same)} same`, ...found].join(', ')}${more}`);
    const heads = ['Kind', 'Request', 'What differs', 'Before', 'After'].map((name) => el('th', { scope: 'col' }, name));
    this.place.replaceChildren(el('table', { class: 'table differences', 'aria-label': 'Differences' },
      el('thead', {}, el('tr', {}, heads)), el('tbody', {}, differences.map((entry) => this.#row(entry)))));
    this.place.hidden = differences.length === 0;
  }

  #row({ kind, request, details, before, after }) {
    const compare = before && after ? button('Compare', () => openDiff(before, after), { 'aria-label': `Compare ${before} and ${after}` }) : null;
    return el('tr', { class: kind },
      el('td', {}, el('span', { class: `badge ${BADGES[kind]}` }, kind)), el('td', { class: 'request' }, request),
      el('td', {}, details.join(', '), ' ', compare), el('td', {}, this.#opener(before)), el('td', {}, this.#opener(after)));
  }

  #opener(id) {
    if (!id) return '–';
    return button(id, () => this.#open(id), { class: 'quiet', 'aria-label': `Open exchange ${id}` });
  }

  #open(id) {
    this.dialog.close();
    state.set('openId', id);
    import('./exchange-view.js');
  }
}
