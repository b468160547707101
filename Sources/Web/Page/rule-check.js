// What a rule would do, while it is written: how many exchanges it would have matched, how the rules
// file would say it, and what is wrong with it.

import { el, setText, settled } from './dom.js';
import { count, counted } from './format.js';
import { testRule } from './rule-requests.js';

const WAIT_MS = 250;

export class RuleCheck {
  /// The rule as the server would write it; empty while something is wrong.
  lines = '';
  #abort = new AbortController();

  /// - Parameter shown: Turns the server's lines into those that are shown.
  constructor(filter, shown = (lines) => lines) {
    this.filter = filter;
    this.shown = shown;
    this.count = el('p', { class: 'rule-count', role: 'status' });
    this.preview = el('pre', { class: 'rule-lines', tabIndex: 0, role: 'group', 'aria-label': 'The rule as text', hidden: true });
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.soon = settled((rule) => this.run(rule), WAIT_MS);
  }

  /// Checks a rule; returns whether nothing is wrong.
  async run(rule) {
    this.soon.cancel();
    this.#abort.abort();
    this.#abort = new AbortController();
    try {
      const { matched, examined, lines } = await testRule(rule, this.#abort.signal);
      this.#accept(matched, examined, lines ?? '');
      return true;
    } catch (problem) {
      if (problem.name === 'AbortError') return false;
      this.refuse(problem);
      return false;
    }
  }

  #accept(matched, examined, lines) {
    this.lines = lines;
    this.filter.show(null);
    setText(this.problem, '');
    setText(this.count, examined === 0 ? 'Nothing is recorded to try it on.' : `Would have matched ${count(matched)} of ${counted(examined, 'exchange')}.`);
    setText(this.preview, this.shown(lines).trim());
    this.preview.hidden = !lines;
  }

  /// Shows what is wrong where it is.
  refuse(problem) {
    this.lines = '';
    const isFilter = Boolean(problem.column);
    this.filter.show(isFilter ? problem : null);
    setText(this.problem, isFilter ? '' : problem.message);
    setText(this.count, '');
  }
}
