// The fields of a rule that rewrites one part of messages.

import { field } from './dialog.js';
import { el } from './dom.js';
import { jsonValue, quoted } from './rule-text.js';

/// Parts of messages: what to do with them, and where they are.
const PARTS = [
  { what: 'header', text: 'Header', verbs: ['set', 'add', 'remove', 'replace'], hasName: true, phases: ['request', 'response'] },
  { what: 'query', text: 'Query parameter', verbs: ['set', 'add', 'remove'], hasName: true, phases: ['request'] },
  { what: 'form', text: 'Form field', verbs: ['set', 'add', 'remove'], hasName: true, phases: ['request'] },
  { what: 'json', text: 'JSON value', verbs: ['set', 'remove'], hasName: true, phases: ['request', 'response'] },
  { what: 'cookie', text: 'Cookie', verbs: ['set', 'add', 'remove'], hasName: true, phases: ['request', 'response'] },
  { what: 'body', text: 'Body', verbs: ['replace', 'set'], phases: ['request', 'response'] },
  { what: 'status', text: 'Status', verbs: ['set'], phases: ['response'] },
  { what: 'method', text: 'Method', verbs: ['set'], phases: ['request'] },
  { what: 'path', text: 'Path', verbs: ['set', 'replace'], phases: ['request'] },
  { what: 'url', text: 'URL', verbs: ['set', 'replace'], phases: ['request'] },
];
const VERBS = { set: 'Set to', add: 'Add', remove: 'Remove', replace: 'Replace text in it' };

export function rewriteFields(exchange, given, changed) {
  return new Rewriting(given, changed).fields();
}

class Rewriting {
  constructor(given, changed) {
    const { target = { what: 'header', name: '' }, part = 'request', verb = null, value = '' } = given;
    this.changed = changed;
    const update = () => this.#update();
    this.part = el('select', { on: { change: update } }, PARTS.map(({ what, text }) => el('option', { value: what, selected: what === target.what }, text)));
    this.phase = el('select', { on: { change: changed } });
    this.verb = el('select', { on: { change: update } });
    const input = (initial) => el('input', { type: 'text', value: initial, spellcheck: false, on: { input: changed } });
    this.name = input(target.name);
    this.value = input(value);
    this.match = input('');
    this.nameField = field('Name', this.name);
    this.matchField = field('Regular expression', this.match, 'What it matches is replaced; $1 is the first group.');
    this.valueField = field('Value', this.value);
    this.#update(part, verb);
  }

  fields() {
    const row = (...fields) => el('div', { class: 'field-row' }, fields);
    return {
      content: [row(field('Part', this.part), field('Of', this.phase), field('What to do', this.verb)), this.nameField, this.matchField, this.valueField],
      actions: () => (this.#missing() ? {} : this.#actions()),
      missing: () => this.#missing(),
    };
  }

  #chosen() {
    return PARTS.find(({ what }) => what === this.part.value);
  }

  /// Offers what the chosen part allows.
  #update(phase = this.phase.value, verb = this.verb.value) {
    const part = this.#chosen();
    const option = (value, text, chosen) => el('option', { value, selected: value === chosen }, text);
    this.phase.replaceChildren(...part.phases.map((name) => option(name, name === 'request' ? 'Requests' : 'Responses', phase)));
    this.verb.replaceChildren(...part.verbs.map((name) => option(name, VERBS[name], verb)));
    this.nameField.hidden = !part.hasName;
    this.nameField.firstChild.textContent = part.what === 'json' ? 'Path, such as user.name or items[0].id' : 'Name';
    this.matchField.hidden = this.verb.value !== 'replace';
    this.valueField.hidden = this.verb.value === 'remove';
    this.valueField.firstChild.textContent = this.verb.value === 'replace' ? 'Replacement' : 'Value';
    this.changed();
  }

  /// What has still to be written.
  #missing() {
    const part = this.#chosen();
    if (part.hasName && !this.name.value.trim()) return part.what === 'json' ? 'The path of the value is missing.' : 'The name is missing.';
    return this.verb.value === 'replace' && !this.match.value ? 'The regular expression is missing.' : '';
  }

  #actions() {
    const part = this.#chosen();
    const target = quoted(part.hasName ? `${part.what}:${this.name.value.trim()}` : part.what);
    const { value: verb } = this.verb;
    const written = part.what === 'json' || part.what === 'status' ? jsonValue(this.value.value.trim()) : quoted(this.value.value);
    const values = { remove: '', replace: `, match = ${quoted(this.match.value)}, with = ${quoted(this.value.value)}` }[verb] ?? `, value = ${written}`;
    return { [this.phase.value]: [`{ ${verb} = ${target}${values} }`] };
  }
}
