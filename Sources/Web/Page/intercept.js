// <intercept-box>: a filter for messages to hold, which needs no rule. It is one for all interfaces:
// what another one sets is shown here.

import { json } from './api.js';
import { el } from './dom.js';
import { FilterField } from './filter-field.js';
import { icon, iconButton } from './icons.js';
import { recall, remember } from './memory.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

const PHASES = [['request', 'Requests'], ['response', 'Responses']];

export class InterceptBox extends HTMLElement {
  /// What is intercepted, as the server says it; null if nothing is.
  #set = null;
  #phases = recall('intercept-phases', ['request']);

  connectedCallback() {
    if (this.field) return;
    this.#build();
    state.on('holds', ({ detail }) => detail && this.#take(detail.intercept ?? null));
    state.on('status', () => this.#allow());
  }

  #build() {
    this.field = new FilterField('Intercept', '', { typed: () => this.#typed(), placeholder: 'Intercept, such as path:/pay' });
    this.field.input.title = 'Messages that pass this filter are held until you decide about them. Enter starts it.';
    this.field.input.addEventListener('keydown', (event) => this.#key(event));
    this.field.input.addEventListener('blur', () => this.#left());
    this.end = iconButton('close', 'End intercepting', () => this.#send(null), { class: 'icon quiet', hidden: true });
    this.switches = PHASES.map(([name, text]) => el('button', {
      type: 'button', data: { phase: name }, 'aria-label': `Intercept ${text.toLowerCase()}`, title: `Hold ${text.toLowerCase()}`,
      on: { click: () => this.#toggle(name) },
    }, icon(name === 'request' ? 'arrow-up' : 'arrow-down')));
    this.panel = el('div', { class: 'intercept', role: 'group', 'aria-label': 'Intercept' }, icon('hold'), this.field.input, this.end,
      el('span', { class: 'segmented', role: 'group', 'aria-label': 'Messages to intercept' }, this.switches), this.field.mistake);
    this.opener = iconButton('hold', 'Intercept', () => this.#fold(this.classList.contains('open')), { class: 'icon intercept-opener', 'aria-expanded': 'false' });
    this.append(this.opener, this.panel);
    this.panel.addEventListener('focusout', ({ relatedTarget }) => relatedTarget && !this.contains(relatedTarget) && this.#fold(true));
    this.#draw();
  }

  /// On narrow screens the box is below its button.
  #fold(isFolded) {
    this.classList.toggle('open', !isFolded);
    this.opener.setAttribute('aria-expanded', String(!isFolded));
    if (!isFolded) this.field.input.focus();
  }

  #allow() {
    this.hidden = state.status.read_only === true;
    for (const control of [this.field.input, ...this.switches]) control.disabled = !state.status.daemon;
  }

  #take(set) {
    const before = this.#set;
    this.#set = set;
    if (set) this.#phases = PHASES.map(([name]) => name).filter((name) => set[name]);
    // What is being typed stays.
    const isTyped = document.activeElement === this.field.input && this.field.text !== (before?.filter ?? '');
    if (!isTyped && before?.filter !== set?.filter) this.field.input.value = set?.filter ?? '';
    this.#draw();
  }

  #draw() {
    const isOn = this.#set !== null;
    this.classList.toggle('on', isOn);
    this.end.hidden = !isOn;
    this.opener.setAttribute('aria-label', isOn ? 'Intercept, on' : 'Intercept');
    for (const one of this.switches) one.setAttribute('aria-pressed', String(this.#phases.includes(one.dataset.phase)));
  }

  #typed() {
    this.field.show(null);
  }

  #left() {
    this.field.show(null);
    if (this.#set) this.field.input.value = this.#set.filter;
  }

  #key(event) {
    if (event.key === 'Enter') this.#send(this.field.text || null);
    else if (event.key === 'Escape') this.#escape();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /// Escape gives up what was typed, not what is intercepted.
  #escape() {
    this.field.input.value = this.#set?.filter ?? '';
    this.field.show(null);
    this.field.input.blur();
    if (!this.classList.contains('open')) return;
    this.#fold(true);
    this.opener.focus();
  }

  /// At least one kind of messages is intercepted.
  #toggle(name) {
    const others = this.#phases.filter((one) => one !== name);
    this.#phases = this.#phases.includes(name) ? others : [...others, name];
    if (this.#phases.length === 0) this.#phases = PHASES.map(([one]) => one).filter((one) => one !== name);
    remember('intercept-phases', this.#phases);
    if (this.#set) this.#send(this.#set.filter);
    else this.#draw();
  }

  async #send(filter) {
    const [request, response] = PHASES.map(([name]) => this.#phases.includes(name));
    const body = filter === null ? { filter } : { filter, request, response };
    const wasOn = this.#set !== null;
    try {
      const holds = await json('/holds/intercept', { method: 'PUT', body });
      this.field.show(null);
      if (filter === null) this.field.input.value = '';
      if (this.classList.contains('open')) this.#escape();
      state.tell('holds', holds);
      if (filter !== null) state.tell('awaitHold');
      if (wasOn !== (filter !== null)) notify(filter === null ? 'Nothing is intercepted any more' : `What passes ${filter} is held from now on`);
    } catch (problem) {
      if (problem.status === 400 || problem.status === 422) this.field.show(problem);
      else notifyProblem(problem);
    }
  }
}

customElements.define('intercept-box', InterceptBox);
