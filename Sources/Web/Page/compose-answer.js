// What came back for a composed request: beside the original response, or alone.

import { exchangePath, json } from './api.js';
import { differenceTable } from './diff-view.js';
import { button, el } from './dom.js';
import { bytes, duration, outcome, outcomeSign, outcomeText } from './format.js';

const statusOf = (one) => one.status ?? one.error ?? one.state;

const FACTS = [
  ['Status', statusOf], ['Time', (one) => duration(one.duration_ms)], ['Size', (one) => bytes(one.response_body_bytes)],
];

export class ComposeAnswer {
  #equal = el('input', { type: 'checkbox', role: 'switch', on: { change: () => this.#drawDifferences() } });
  #sections = [];

  /// - Parameter original: The exchange that is repeated; null if there is none.
  constructor(original, openExchange) {
    Object.assign(this, { original, openExchange });
    this.content = el('div', { class: 'answer-content' });
    this.element = el('section', { class: 'compose-answer', 'aria-label': 'Answer', hidden: true }, this.content);
  }

  /// Whether another answer is on its way.
  setBusy(isBusy) {
    this.element.setAttribute('aria-busy', String(isBusy));
  }

  say(text, properties = { role: 'status' }) {
    this.element.hidden = false;
    this.content.replaceChildren(el('p', properties, text));
  }

  refuse(problem) {
    this.say(problem.message, { class: 'bad', role: 'alert' });
  }

  /// Shows the exchange with this number.
  async show(id) {
    const { original } = this;
    const [sent, diff] = await Promise.all([
      json(exchangePath(id)), original ? json('/diff', { query: { left: original.id, right: id } }) : null,
    ]);
    this.element.hidden = false;
    this.#sections = diff?.sections ?? [];
    this.content.replaceChildren(this.#facts(sent), original ? this.#differences() : await this.#response(sent));
    if (original) this.#drawDifferences();
  }

  /// Status, time and size beside those of the original; what differs is marked.
  #facts(sent) {
    const { original } = this;
    if (!original) {
      const facts = [duration(sent.duration_ms), bytes(sent.response_body_bytes)].filter(Boolean).join(', ');
      return el('div', { class: 'controls' }, this.#opener(sent), el('span', { class: 'dim' }, facts));
    }
    const head = (one, title) => el('th', { scope: 'col' }, `${title} `, this.#opener(one));
    const rows = FACTS.map(([title, read]) => el('tr', { class: title !== 'Time' && read(original) !== read(sent) ? 'unlike' : '' },
      el('th', { scope: 'row' }, title), factCell(original, read), factCell(sent, read)));
    return el('table', { class: 'table answer-facts', 'aria-label': 'Answer' },
      el('thead', {}, el('tr', {}, el('td', {}), head(original, 'Original'), head(sent, 'New'))), el('tbody', {}, rows));
  }

  #opener({ id }) {
    return button(`Exchange ${id}`, () => this.openExchange(id), { class: 'quiet', title: 'Close this and open the exchange' });
  }

  #differences() {
    this.remark = el('span', { class: 'dim grow', role: 'status' });
    this.place = el('div', { class: 'diff-place', tabIndex: 0, role: 'group', 'aria-label': 'Original and new response' });
    const showsEqual = el('label', { class: 'switch-line' }, this.#equal, 'Show equal lines');
    return el('div', { class: 'answer-differences' }, el('div', { class: 'controls' }, this.remark, showsEqual), this.place);
  }

  #drawDifferences() {
    const shown = this.#sections.filter(({ title }) => /response/i.test(title));
    const isEqual = shown.every(({ removed, added }) => removed + added === 0);
    this.remark.textContent = isEqual ? 'The responses are the same.' : 'The responses differ.';
    this.place.replaceChildren(differenceTable(shown, { showsEqual: this.#equal.checked || isEqual }));
  }

  async #response(sent) {
    const { MessagePane } = await import('./message-pane.js');
    const pane = new MessagePane('response', () => this.openExchange(sent.id));
    pane.show(sent, { opensHeaders: true });
    return pane.element;
  }
}

function factCell(one, read) {
  if (read !== statusOf) return el('td', {}, read(one));
  return el('td', { class: `status ${outcome(one)}` }, el('span', { 'aria-hidden': 'true' }, `${outcomeSign(one)} `),
    el('span', { class: 'unseen' }, `${outcomeText(one)} `), String(statusOf(one)));
}
