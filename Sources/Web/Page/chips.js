// <filter-chips>: conditions of everyday filters as switches. The filter's text stays the truth:
// the switches are read from it and write into it.

import { button, el } from './dom.js';
import { allOf, alternatives, eitherOf, terms } from './filter-terms.js';
import { state } from './state.js';

/// Switches of one kind are alternatives of each other.
const KINDS = [
  {
    title: 'Status',
    chips: [
      { text: '2xx', title: 'Success', condition: 'status=2xx', kind: 'ok' },
      { text: '3xx', title: 'Redirection', condition: 'status=3xx', kind: 'redirect' },
      { text: '4xx', title: 'Client errors', condition: 'status=4xx', kind: 'client' },
      { text: '5xx', title: 'Server errors', condition: 'status=5xx', kind: 'server' },
    ],
  },
  {
    title: 'Content',
    chips: [
      { text: 'JSON', title: 'JSON in the request or the response', condition: 'type:json' },
      { text: 'Images', title: 'Images', condition: 'type:image' },
      { text: 'WebSocket', title: 'WebSocket connections', condition: 'proto=ws' },
      { text: 'gRPC', title: 'gRPC and gRPC-Web calls', condition: 'proto:grpc' },
    ],
  },
  {
    title: 'Outcome',
    chips: [
      { text: 'Errors', title: 'Failed exchanges and calls, client and server errors', condition: 'status>=400 or state=failed or grpc.status>0', kind: 'failed' },
    ],
  },
];

class FilterChips extends HTMLElement {
  #chips = [];

  connectedCallback() {
    if (this.#chips.length) return;
    this.setAttribute('role', 'group');
    this.setAttribute('aria-label', 'Everyday filters');
    for (const kind of KINDS) {
      const chips = kind.chips.map((chip) => this.#chip(kind, chip));
      this.append(el('span', { class: 'chip-group', role: 'group', 'aria-label': kind.title }, chips));
    }
    state.on('filter', () => this.#mark());
    this.#mark();
  }

  #chip(kind, chip) {
    const content = chip.kind ? [el('span', { class: `chip-sign ${chip.kind}`, 'aria-hidden': 'true' }), chip.text] : chip.text;
    const element = button(content, () => pressed(kind, chip), { class: 'chip', title: chip.title });
    this.#chips.push({ kind, chip, element });
    return element;
  }

  #mark() {
    const all = terms(state.filter);
    for (const { kind, chip, element } of this.#chips) {
      element.setAttribute('aria-pressed', String(all.some((term) => chosen(term, kind).includes(chip))));
    }
  }
}

/// The chips of a kind that a term stands for; none if it says anything else, too.
function chosen(term, kind) {
  const whole = alternatives(term);
  const single = kind.chips.find((chip) => chip.condition === whole.join(' or '));
  if (single) return [single];
  const found = whole.map((part) => kind.chips.find((chip) => chip.condition === part));
  return found.every(Boolean) ? found : [];
}

/// Switches a chip in the filter that is typed, which may not be in force yet.
function pressed(kind, chip) {
  const bar = document.querySelector('filter-bar');
  bar.apply(switched(bar.intended, kind, chip));
}

/// The filter with a chip switched on or off.
function switched(filter, kind, chip) {
  const all = terms(filter);
  const at = all.findIndex((term) => chosen(term, kind).length > 0);
  const before = at < 0 ? [] : chosen(all[at], kind);
  const isOn = before.includes(chip);
  const now = kind.chips.filter((one) => (one === chip ? !isOn : before.includes(one)));
  const term = now.length ? [eitherOf(now.flatMap((one) => one.condition.split(' or ')))] : [];
  all.splice(at < 0 ? all.length : at, at < 0 ? 0 : 1, ...term);
  return allOf(all);
}

customElements.define('filter-chips', FilterChips);
