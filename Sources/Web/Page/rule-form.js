// The form of a rule: its filter, what it does, and what it would have matched.

import { openDialog, field } from './dialog.js';
import { button, el, setText } from './dom.js';
import { FilterField } from './filter-field.js';
import { json } from './api.js';
import { notify, notifyProblem } from './notices.js';
import { RuleCheck } from './rule-check.js';
import { filterLike } from './rule-filter.js';
import { KINDS } from './rule-kinds.js';
import { addRule, mapToFile, removeRule } from './rule-requests.js';
import { state } from './state.js';

export class RuleForm {
  constructor(kind, exchange, given) {
    this.kind = KINDS[kind];
    this.exchange = exchange;
    this.filter = new FilterField('Applies to', given.filter, { typed: () => this.#changed() });
    this.check = new RuleCheck(this.filter);
    this.fields = this.kind.make(exchange, given, () => this.dialog && this.#changed());
    this.name = el('input', { type: 'text', spellcheck: false, placeholder: 'made from what it does', on: { input: () => this.#changed() } });
    this.group = el('input', { type: 'text', spellcheck: false, placeholder: 'none', on: { input: () => this.#changed() } });
    this.first = el('input', { type: 'checkbox', role: 'switch' });
    this.temporary = el('input', { type: 'checkbox', role: 'switch', checked: kind === 'break' });
    this.#open();
  }

  #open() {
    this.addButton = button('Add rule', () => this.#add(), { class: 'primary', title: 'Control and Enter' });
    const { check } = this;
    this.whole = el('div', { class: 'rule-outcome' }, check.count, check.preview);
    this.like = el('p', { class: 'dim' }, this.exchange ? `Applies to requests like this one: ${filterLike(this.exchange)}` : '');
    const more = el('details', { class: 'more-fields' }, el('summary', {}, 'Name, group and order'),
      el('div', { class: 'field-row' }, field('Name', this.name), field('Group', this.group)),
      el('label', { class: 'switch-line' }, this.first, 'Before all other rules'));
    const before = this.#written();
    this.dialog = openDialog(this.kind.title, [
      el('p', { class: 'dim' }, this.kind.says), this.filter.element, this.like, ...this.fields.content.filter(Boolean), more,
      el('label', { class: 'switch-line' }, this.temporary, 'Only until proxyd ends; the rules file stays as it is'), this.whole, check.problem,
    ], [this.addButton], { hasDraft: () => this.#written() !== before });
    this.dialog.element.classList.add('rule-form');
    this.dialog.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#add();
    });
    this.#changed();
    if (this.filter.element.hidden) this.addButton.focus();
    else check.run(this.#rule());
  }

  #written() {
    return JSON.stringify([this.#rule(), this.fields.actions(), this.first.checked]);
  }

  #changed() {
    const isSaved = this.fields.savesResponse?.() === true;
    this.filter.element.hidden = isSaved;
    this.whole.hidden = isSaved;
    this.like.hidden = !isSaved;
    if (isSaved) this.check.soon.cancel();
    else this.check.soon(this.#rule());
  }

  /// The rule as the server takes it.
  #rule() {
    const rule = { filter: this.filter.text, ...this.fields.actions() };
    if (this.name.value.trim()) rule.name = this.name.value.trim();
    return rule;
  }

  async #add(isTemporary = this.temporary.checked) {
    const missing = this.fields.missing?.();
    if (missing) return this.check.refuse({ message: missing });
    this.addButton.disabled = true;
    try {
      if (this.fields.savesResponse?.()) await this.#map(isTemporary);
      else await this.#addRule(isTemporary);
      this.dialog.close();
    } catch (problem) {
      this.#refuse(problem, isTemporary);
    } finally {
      this.addButton.disabled = false;
    }
  }

  async #map(isTemporary) {
    const notice = await mapToFile(this.exchange.id, { name: this.name.value.trim() || undefined, temporary: isTemporary });
    notify(notice, { action: { text: 'Rules', run: () => state.set('view', 'rules') } });
  }

  async #addRule(isTemporary) {
    const rule = { ...this.#rule(), temporary: isTemporary, first: this.first.checked };
    if (this.group.value.trim()) rule.group = this.group.value.trim();
    const { name } = await addRule(rule);
    if (this.kind === KINDS.break) await this.#takeHolds();
    notify(isTemporary ? `Added ${name}, until proxyd ends` : `Added ${name} to the rules file`, { undo: () => removeRule(name, isTemporary).catch(notifyProblem) });
  }

  async #takeHolds() {
    await json('/holds/take', { method: 'POST', body: { on: true } });
    state.tell('awaitHold');
  }

  /// A file that cannot be written, or that someone else has just changed, is no end.
  #refuse(problem, isTemporary) {
    this.check.refuse(problem);
    if (problem.status !== 409 || isTemporary) return;
    const instead = button('Add it until proxyd ends', () => this.#add(true));
    setText(this.check.problem, problem.message);
    this.check.problem.append(' ', instead);
  }
}
