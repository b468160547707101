// Edits one rule, as a form or as its text; both are the same rule.

import { openDialog, field } from './dialog.js';
import { button, el, setText } from './dom.js';
import { FilterField } from './filter-field.js';
import { notify, notifyProblem } from './notices.js';
import { RuleCheck } from './rule-check.js';
import { actionFields } from './rule-kinds.js';
import { changeRule, readRule } from './rule-requests.js';
import { listItems, listText, plainText, quoted, valueOf, withValue } from './rule-text.js';

export async function openRuleEditor(rule, isTemporary) {
  try {
    const { lines } = await readRule(rule.name);
    new RuleEditor(rule, lines, isTemporary);
  } catch (problem) {
    notifyProblem(problem);
  }
}

class RuleEditor {
  constructor(rule, lines, isTemporary) {
    Object.assign(this, { rule, before: lines, text: lines, isTemporary });
    this.area = el('textarea', { rows: 16, spellcheck: false, on: { input: () => { this.text = this.area.value; } } });
    this.place = el('div', { class: 'fields' });
    this.filter = new FilterField('Applies to', '', { typed: () => this.#formChanged() });
    this.check = new RuleCheck(this.filter, (written) => this.#merged(written));
    this.#open();
  }

  #open() {
    const mode = (name, title) => button(title, () => this.#show(name), { 'aria-pressed': 'false', data: { mode: name } });
    this.modes = el('div', { class: 'segmented', role: 'group', 'aria-label': 'Edit as' }, mode('form', 'Form'), mode('text', 'Text'));
    this.saveButton = button('Save', () => this.#save(), { class: 'primary', title: 'Control and Enter' });
    this.remark = el('p', { class: 'bad', role: 'alert' });
    this.dialog = openDialog(`Edit ${this.rule.name}`, [this.modes, this.place, this.remark], [this.saveButton], { isWide: true, hasDraft: () => this.#isChanged() });
    this.dialog.element.classList.add('rule-form');
    this.dialog.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#save();
    });
    this.#show('form');
  }

  /// Shows the form or the text; what was typed in the other one is taken over.
  async #show(mode) {
    if (this.mode === 'form' && !(await this.#takeForm())) return;
    this.mode = mode;
    for (const one of this.modes.children) one.setAttribute('aria-pressed', String(one.dataset.mode === mode));
    setText(this.remark, '');
    if (mode === 'text') {
      this.area.value = this.text;
      this.place.replaceChildren(field('Text', this.area));
      this.area.focus();
    } else {
      this.#fillForm();
    }
  }

  #fillForm() {
    const list = (key) => listItems(valueOf(this.text, key)).join('\n');
    this.shown = {
      when: plainText(valueOf(this.text, 'when')), request: list('request'), response: list('response'),
      group: plainText(valueOf(this.text, 'group')), limit: valueOf(this.text, 'limit') ?? '',
    };
    this.filter.input.value = this.shown.when;
    this.fields = actionFields(null, this.shown, () => this.#formChanged());
    const input = (properties) => el('input', { ...properties, spellcheck: false, on: { input: () => this.#formChanged() } });
    this.group = input({ type: 'text', value: this.shown.group, placeholder: 'none' });
    this.limit = input({ type: 'number', min: '0', value: this.shown.limit, placeholder: 'no limit' });
    this.place.replaceChildren(this.filter.element, ...this.fields.content,
      el('div', { class: 'field-row' }, field('Group', this.group), field('Ends after this many exchanges', this.limit)),
      el('div', { class: 'rule-outcome' }, this.check.count, this.check.preview), this.check.problem);
    this.filter.input.focus();
    this.check.run(this.#rule());
  }

  #rule() {
    return { filter: this.filter.text, ...this.fields.actions(), name: this.rule.name };
  }

  #formChanged() {
    this.check.soon(this.#rule());
  }

  /// The text of the rule with what the form says; all that the form does not change stays.
  #merged(written) {
    let { text } = this;
    const put = (key, value) => {
      text = withValue(text, key, value);
    };
    if (this.filter.text !== this.shown.when) put('when', this.filter.text ? (valueOf(written, 'when') ?? quoted(this.filter.text)) : null);
    for (const phase of ['request', 'response']) {
      const lines = this.fields.actions()[phase].join('\n');
      if (lines !== this.shown[phase]) put(phase, listText(listItems(valueOf(written, phase))));
    }
    if (this.group.value.trim() !== this.shown.group) put('group', this.group.value.trim() ? quoted(this.group.value.trim()) : null);
    if (this.limit.value !== this.shown.limit) put('limit', this.limit.value || null);
    return text;
  }

  async #takeForm() {
    if (!(await this.check.run(this.#rule()))) return false;
    this.text = this.#merged(this.check.lines);
    return true;
  }

  #isChanged() {
    if (this.mode === 'text') return this.text !== this.before;
    const { request, response } = this.fields.actions();
    const now = [this.filter.text, request.join('\n'), response.join('\n'), this.group.value.trim(), this.limit.value];
    return this.text !== this.before || now.join('\0') !== Object.values(this.shown).join('\0');
  }

  async #save() {
    if (this.mode === 'form' && !(await this.#takeForm())) return;
    const { name } = this.rule;
    const change = (lines) => changeRule(name, { lines, temporary: this.isTemporary });
    this.saveButton.disabled = true;
    try {
      await change(this.text);
      this.dialog.close();
      notify(`Saved ${name}`, { undo: () => change(this.before).catch(notifyProblem) });
    } catch (problem) {
      setText(this.remark, problem.message);
    } finally {
      this.saveButton.disabled = false;
    }
  }
}
