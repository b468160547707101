// The list of the rules in their order: switches them, moves them, removes them.

import { button, el } from './dom.js';
import { count, filterValue, time } from './format.js';
import { icon, iconButton } from './icons.js';
import { openMenu } from './menu.js';
import { notify, notifyProblem } from './notices.js';
import { dragRows } from './rule-drag.js';
import { openRuleEditor } from './rule-editor.js';
import { restoreRule, textOfRules } from './rule-restoring.js';
import { changeRule, removeRule, switchGroup } from './rule-requests.js';
import { state } from './state.js';

const HEADS = ['', 'On', 'Rule', 'Applies to', 'Matched', 'Changed', 'Failed', 'Last', ''];

export class RuleList {
  #rules = [];
  #selected = '';
  #moving = Promise.resolve();

  constructor({ isTemporary, add, editFile }) {
    Object.assign(this, { isTemporary, add, editFile });
  }

  draw(set) {
    this.#rules = set.rules;
    const at = this.#rules.findIndex(({ name }) => name === this.#selected);
    this.#selected = this.#rules[Math.max(0, at)]?.name ?? '';
    this.focused = nameOfFocus();
    this.rows = this.#rules.map((rule) => this.#row(rule));
    const body = el('tbody', { role: 'rowgroup' }, this.rows);
    this.element = el('table', { class: 'table rule-table', role: 'grid', 'aria-label': 'Rules' },
      el('thead', {}, el('tr', {}, HEADS.map((text, place) => (text ? el('th', { scope: 'col', class: place > 3 && place < 7 ? 'amount' : '' }, text) : el('td', {}))))),
      body);
    dragRows(body, (row, before) => this.#moveBefore(row.rule, before?.rule.name ?? null));
    this.#markSelected();
    return this.element;
  }

  /// Gives the focus back after drawing: to what had it, or to the selected rule.
  focus() {
    const same = this.focused && this.element?.querySelector(`[aria-label="${CSS.escape(this.focused)}"]`);
    (same ?? this.#selectedRow())?.focus({ preventScroll: true });
  }

  #selectedRow() {
    return this.rows?.find((row) => row.rule.name === this.#selected);
  }

  get #rule() {
    return this.#rules.find(({ name }) => name === this.#selected);
  }

  #row(rule) {
    const box = el('input', {
      type: 'checkbox', role: 'switch', checked: rule.enabled, tabIndex: -1, 'aria-label': `Rule ${rule.name}`,
      on: { change: () => this.#switch(rule, box.checked) },
    });
    const amount = (value, kind = '') => el('td', { class: `amount rule-facts ${value ? kind : 'dim'}`, role: 'gridcell' }, value === null ? '' : count(value));
    const handle = el('span', { class: 'drag-handle', title: 'Drag to another place (J and K move it)' }, icon('drag'));
    const more = iconButton('more', `More for ${rule.name}`, () => openMenu(rule.name, this.#items(rule), { below: more }), {
      class: 'icon quiet', tabIndex: -1, 'aria-haspopup': 'menu',
    });
    const row = el('tr', {
      class: rule.enabled ? '' : 'off', role: 'row', tabIndex: -1, 'aria-label': rule.name,
      on: {
        focus: () => this.#select(rule), pointerdown: () => this.#select(rule), contextmenu: (event) => this.#menu(event, rule),
        dblclick: (event) => !event.target.closest('button, input') && this.#edit(rule),
      },
    }, el('td', { class: 'drag', role: 'gridcell' }, handle), el('td', { role: 'gridcell' }, box),
    el('th', { scope: 'row', role: 'rowheader' }, el('span', { class: 'rule-title' }, el('span', {}, rule.name), badges(rule))),
    el('td', { class: 'rule-what', role: 'gridcell' }, el('code', {}, rule.when || 'every exchange'), rule.does ? el('code', { class: 'dim' }, rule.does) : null),
    amount(rule.hits), amount(rule.changed), amount(rule.failed, 'bad'), el('td', { class: 'dim rule-facts', role: 'gridcell' }, time(rule.last_hit_at)),
    el('td', { class: 'rule-buttons', role: 'gridcell' },
      button('Exchanges', () => this.#show(rule), { class: 'quiet', tabIndex: -1, 'aria-label': `Exchanges of ${rule.name}` }),
      button('Edit', () => this.#edit(rule), { class: 'quiet', tabIndex: -1, 'aria-label': `Edit ${rule.name}` }), more));
    row.rule = rule;
    return row;
  }

  #items(rule) {
    const at = this.#rules.indexOf(rule);
    return [
      { text: 'Edit…', key: 'e', icon: 'edit', run: () => this.#edit(rule) },
      { text: 'List its exchanges', key: 'Enter', icon: 'list', run: () => this.#show(rule) },
      { text: rule.enabled ? 'Switch off' : 'Switch on', key: 's', run: () => this.#switch(rule, !rule.enabled) },
      ...(rule.group ? [{ text: `Switch the group ${rule.group}`, key: 'u', run: () => this.#switchGroupOf(rule) }] : []),
      null,
      { text: 'Move up', key: 'K', icon: 'arrow-up', isDisabled: at === 0, run: () => this.#move(rule, -1) },
      { text: 'Move down', key: 'J', icon: 'arrow-down', isDisabled: at === this.#rules.length - 1, run: () => this.#move(rule, 1) },
      null,
      { text: 'Remove', key: 'd', icon: 'trash', isDangerous: true, run: () => this.#remove(rule) },
    ];
  }

  #menu(event, rule) {
    event.preventDefault();
    event.stopPropagation();
    const { bottom, left } = event.currentTarget.getBoundingClientRect();
    const isByKey = event.clientX === 0 && event.clientY === 0;
    openMenu(rule.name, this.#items(rule), isByKey ? { x: left + 60, y: bottom } : { x: event.clientX, y: event.clientY });
  }

  #select(rule) {
    this.#selected = rule.name;
    this.#markSelected();
  }

  #markSelected() {
    for (const row of this.rows) {
      const isSelected = row.rule.name === this.#selected;
      row.setAttribute('aria-selected', String(isSelected));
      row.tabIndex = isSelected ? 0 : -1;
      for (const control of row.querySelectorAll('button, input')) control.tabIndex = isSelected ? 0 : -1;
    }
  }

  // MARK: Keys

  /// The keys of the terminal interface.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const isControl = event.target.closest('button, input, select, summary');
    if (isControl && ['Enter', ' '].includes(event.key)) return;
    const run = this.#runOf(event);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }

  #runOf({ key, altKey }) {
    const move = { K: -1, J: 1, ...(altKey ? { ArrowUp: -1, ArrowDown: 1 } : {}) }[key];
    const common = { n: this.add, a: this.add, E: this.editFile };
    const rule = this.#rule;
    if (!rule || key in common) return common[key];
    if (move) return () => this.#move(rule, move);
    if (altKey) return undefined;
    return {
      ArrowUp: () => this.#step(-1), k: () => this.#step(-1), ArrowDown: () => this.#step(1), j: () => this.#step(1),
      Home: () => this.#step(-Infinity), End: () => this.#step(Infinity), Enter: () => this.#show(rule), ' ': () => this.#switch(rule, !rule.enabled),
      s: () => this.#switch(rule, !rule.enabled), e: () => this.#edit(rule), f: () => this.#edit(rule), d: () => this.#remove(rule), Delete: () => this.#remove(rule),
      u: () => rule.group && this.#switchGroupOf(rule),
    }[key];
  }

  #step(rows) {
    const at = this.#rules.indexOf(this.#rule) + rows;
    this.#select(this.#rules[Math.min(Math.max(0, at), this.#rules.length - 1)]);
    this.#selectedRow().focus();
  }

  // MARK: Changes

  /// A rule that is only in memory can only be changed there.
  #isTemporary(rule) {
    return rule.temporary || this.isTemporary();
  }

  async #change(promise, words = null) {
    try {
      await promise;
      if (words) notify(words);
    } catch (problem) {
      notifyProblem(problem);
      state.tell('rules');
    }
  }

  #switch(rule, enabled) {
    this.#change(changeRule(rule.name, { enabled, temporary: this.#isTemporary(rule) }), `${rule.name} is ${enabled ? 'on' : 'off'}`);
  }

  #switchGroupOf(rule) {
    this.switchGroup(rule.group, !this.#rules.some(({ group, enabled }) => group === rule.group && enabled));
  }

  switchGroup(group, isOn) {
    this.#change(switchGroup(group, isOn, this.isTemporary()), `The group ${group} is ${isOn ? 'on' : 'off'}`);
  }

  /// Each move starts from where the one before it has led.
  #move({ name }, step) {
    this.#moving = this.#moving.then(() => {
      const rule = this.#rules.find((one) => one.name === name);
      const others = this.#rules.filter((one) => one !== rule);
      const at = this.#rules.indexOf(rule) + step;
      return rule && at >= 0 && at <= others.length ? this.#moveBefore(rule, others[at]?.name ?? null) : null;
    });
  }

  #moveBefore(rule, before) {
    return this.#change(changeRule(rule.name, { before, temporary: this.#isTemporary(rule) }));
  }

  #edit(rule) {
    openRuleEditor(rule, this.#isTemporary(rule));
  }

  async #remove(rule) {
    try {
      const isTemporary = this.#isTemporary(rule);
      const before = await textOfRules(rule, isTemporary);
      await removeRule(rule.name, isTemporary);
      notify(`Removed ${rule.name}`, { undo: () => restoreRule(before).catch(notifyProblem) });
    } catch (problem) {
      notifyProblem(problem);
    }
  }

  #show(rule) {
    state.set('filter', `rule=${filterValue(rule.name)}`);
    state.set('view', 'list');
  }
}

function badges(rule) {
  return [
    rule.temporary ? el('span', { class: 'badge notice', title: 'In the memory of proxyd, gone when it ends' }, 'until proxyd ends') : null,
    rule.group ? el('span', { class: 'badge' }, rule.group) : null,
  ];
}

function nameOfFocus() {
  return document.activeElement?.closest('.rule-table') ? document.activeElement.getAttribute('aria-label') : null;
}
