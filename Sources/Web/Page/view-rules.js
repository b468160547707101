// The view of the rules: what is in force, read again while others change it.

import { button, el, throttled } from './dom.js';
import { emptyState } from './empty-state.js';
import { icon } from './icons.js';
import { menuButton } from './menu.js';
import { openRuleForm } from './rule-actions.js';
import { editFile } from './rule-file.js';
import { RuleList } from './rule-list.js';
import { readRules } from './rule-requests.js';
import { state } from './state.js';

/// Other programs change rules without a word to this page.
const READ_MS = 2000;

const ADDED = [
  ['break', 'Break…'], ['map', 'Map to a file…'], ['mock', 'Mock…'], ['block', 'Block…'], ['throttle', 'Throttle…'], ['rewrite', 'Rewrite…'],
  null, ['any', 'Other actions…'],
];

export function fillRules(view) {
  const rules = new RulesView(view);
  rules.start();
}

class RulesView {
  #seen = '';

  constructor(view) {
    this.view = view;
    this.temporary = el('input', { type: 'checkbox', role: 'switch' });
    this.list = new RuleList({ isTemporary: () => this.temporary.checked, add: () => openRuleForm('any'), editFile: () => editFile() });
    this.content = el('div', { class: 'rules' });
    view.append(el('h2', { class: 'unseen' }, 'Rules'), this.content);
  }

  start() {
    const read = () => this.#read();
    const take = ({ detail }) => (detail?.rules ? this.#draw(detail) : read());
    const later = throttled(read, READ_MS);
    const timer = setInterval(() => document.visibilityState === 'visible' && read(), READ_MS);
    state.on('change status', later);
    state.on('rules', take);
    const press = (event) => isForRules(event) && this.list.key(event);
    document.addEventListener('keydown', press, { capture: true });
    this.stop = () => {
      clearInterval(timer);
      document.removeEventListener('keydown', press, { capture: true });
      for (const name of ['change', 'status']) state.removeEventListener(name, later);
      state.removeEventListener('rules', take);
    };
    read();
  }

  async #read() {
    if (!this.view.isConnected) return this.stop();
    try {
      this.#draw(await readRules());
    } catch (problem) {
      this.#seen = '';
      const actions = [button('Try again', () => this.#read())];
      this.content.replaceChildren(emptyState({ icon: 'rules', title: 'The rules cannot be read', text: problem.message, actions }));
    }
  }

  /// Draws only what differs, so that nothing moves under the mouse.
  #draw(set) {
    const seen = JSON.stringify(set);
    if (seen === this.#seen) return;
    this.#seen = seen;
    const hadFocus = this.view.contains(document.activeElement);
    if (set.rules.length === 0) this.content.replaceChildren(...this.#remarks(set), this.#empty(set));
    else this.content.replaceChildren(this.#bar(set), ...this.#remarks(set), this.list.draw(set));
    if (hadFocus) this.list.focus();
  }

  #bar(set) {
    return el('div', { class: 'controls' },
      this.#addButton(), button('Edit file', () => editFile(), { title: 'Edit the whole file (E)' }), this.#groups(set),
      el('span', { class: 'grow' }),
      el('label', { class: 'switch-line', title: 'Changes are in the memory of proxyd, and gone when it ends (t)' }, this.temporary, 'Change until proxyd ends'),
      el('code', { class: 'dim rules-file', title: set.file ?? '' }, set.file ?? ''));
  }

  #addButton() {
    const items = ADDED.map((entry) => entry && { icon: entry[0] === 'any' ? 'plus' : entry[0], text: entry[1], run: () => openRuleForm(entry[0]) });
    return menuButton('Add rule', items, { class: 'primary', title: 'Add a rule (n)' });
  }

  /// A switch for each group.
  #groups(set) {
    const names = [...new Set(set.rules.map(({ group }) => group).filter(Boolean))];
    return names.map((name) => {
      const rules = set.rules.filter(({ group }) => group === name);
      const isOn = rules.some(({ enabled }) => enabled);
      return button(`${name} ${rules.length}`, () => this.list.switchGroup(name, !isOn), {
        class: 'chip', 'aria-pressed': String(isOn), 'aria-label': `Group ${name}`, title: `Switch the group ${name} ${isOn ? 'off' : 'on'} (u)`,
      });
    });
  }

  #remarks(set) {
    const problems = (set.problems ?? []).map((problem) => (typeof problem === 'string' ? problem : problem.message));
    const said = [];
    if (problems.length) {
      const words = el('p', {}, el('strong', {}, 'The file has a mistake. '), 'The rules that were read before stay in force.');
      const list = el('ul', {}, problems.map((text) => el('li', {}, el('code', {}, text))));
      said.push(el('div', { class: 'rules-problems', role: 'alert' }, icon('warning'), el('div', { class: 'grow' }, words, list),
        button('Edit file', () => editFile(problems[0]))));
    }
    for (const text of set.remarks ?? []) said.push(el('p', { class: 'dim' }, typeof text === 'string' ? text : text.message));
    if (set.daemon === false) said.push(el('p', { class: 'dim' }, 'proxyd is not running: rules can be edited, but nothing is counted.'));
    return said;
  }

  #empty(set) {
    return emptyState({
      icon: 'rules', title: 'No rules yet',
      text: 'A rule holds, maps, mocks, blocks, slows down or changes what passes a filter. Right-click an exchange to start from it.',
      actions: [this.#addButton(), button('Edit file', () => editFile(), { title: set.file ?? '' })],
    });
  }
}

/// While the rules are shown, their keys need no focus; other parts keep their own.
function isForRules({ target }) {
  return state.view === 'rules' && !target.closest('dialog, input:not([type=checkbox]), textarea, select, exchange-view, holds-tray, [role=menu]');
}
