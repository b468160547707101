// <holds-tray>: what is held, beside an editor. The button in the header says how many messages wait.
// The tray opens by itself only for a message that was asked for on this page.

import { json } from './api.js';
import { button, el } from './dom.js';
import { drawTimes, holdItem } from './hold-item.js';
import { icon, iconButton } from './icons.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

const DONE = { resume: 'It goes on', answer: 'Answered', drop: 'Dropped' };

export class HoldsTray extends HTMLElement {
  #holds = [];
  #isTaking = false;
  #selected = null;
  #isAwaiting = false;
  /// Editors by the number of their hold, with what was written.
  #editors = new Map();
  /// Holds about which was decided here.
  #decided = new Set();

  constructor() {
    super();
    this.label = el('span', { class: 'label' }, 'Holds');
    this.badge = el('span', { class: 'badge notice' });
    this.opener = button([icon('hold'), this.label], () => this.toggle(), { 'aria-label': 'Holds', 'aria-expanded': 'false', title: 'Held messages (H)' });
  }

  connectedCallback() {
    this.hidden = true;
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', 'Holds');
    this.#build();
    state.on('holds', ({ detail }) => (detail ? this.#take(detail) : this.#read()));
    state.on('awaitHold', () => {
      this.#isAwaiting = true;
      this.#show();
    });
    // A server of an older version sends no holds, only how many there are.
    state.on('status', () => state.status.holds !== this.#holds.length && this.#read());
    this.#read();
    setInterval(() => this.#holds.length && !this.hidden && drawTimes(this.list), 1000);
  }

  #build() {
    this.box = el('input', {
      type: 'checkbox', role: 'switch', 'aria-label': 'Hold messages', title: 'Hold what rules and Intercept ask for (B)',
      on: { change: () => this.#setTaking(this.box.checked) },
    });
    this.remark = el('span', { class: 'dim grow' });
    this.all = button('Let all go on', () => this.#resumeAll(), { title: 'All go on unchanged (A)' });
    this.list = el('ul', { class: 'holds' });
    this.empty = el('p', { class: 'dim holds-empty' });
    this.place = el('div', { class: 'hold-place' });
    this.append(
      el('h2', { class: 'unseen' }, 'Holds'),
      el('div', { class: 'controls holds-bar' }, el('label', { class: 'switch-line' }, this.box, 'Hold messages'), this.remark, this.all,
        iconButton('close', 'Close holds', () => this.toggle(), { class: 'icon quiet' })),
      el('div', { class: 'holds-panes' }, this.list, this.place), this.empty);
    this.addEventListener('keydown', (event) => this.#key(event));
  }

  /// The button that opens the tray.
  button() {
    return this.opener;
  }

  toggle() {
    this.#open(this.hidden);
    this.#isAwaiting = false;
    if (this.hidden) return this.opener.focus();
    (this.#itemOf(this.#selected) ?? this.box).focus();
  }

  #open(isOpen) {
    this.hidden = !isOpen;
    this.opener.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.#draw();
  }

  /// Shows the message that was waited for; the focus stays where it is.
  #show() {
    if (this.hidden && this.#isAwaiting && this.#holds.length) this.#open(true);
  }

  async #read() {
    try {
      state.tell('holds', await json('/holds'));
    } catch {
      // Without a daemon nothing is held.
      this.#take({ holds: [] });
    }
  }

  /// What `GET /holds` says, or an event that says the same.
  #take({ holds, taking = this.#isTaking }) {
    const gone = this.#holds.filter(({ hold }) => !holds.some((one) => one.hold === hold));
    this.#holds = holds;
    this.#isTaking = taking;
    for (const hold of gone) this.#ended(hold);
    if (!this.#shown().some(({ hold }) => hold === this.#selected)) this.#selected = this.#shown()[0]?.hold ?? null;
    this.#drawOpener();
    if (this.hidden) this.#show();
    else this.#draw();
  }

  /// What was written for a message that ended elsewhere stays.
  #ended(hold) {
    const editor = this.#editors.get(hold.hold);
    const isDecided = this.#decided.delete(hold.hold);
    const wasOpen = this.#selected === hold.hold && !this.hidden;
    if (!editor || isDecided || !(editor.isChanged || (wasOpen && editor.element.contains(document.activeElement)))) return this.#editors.delete(hold.hold);
    const isOver = hold.deadline && Date.parse(hold.deadline) <= Date.now() + 500;
    editor.end(isOver ? 'Its time was over, so it went on.' : 'This message is not held any more: it was decided elsewhere, or its client left.');
  }

  /// What is held, and what ended while it was edited.
  #shown() {
    const ended = [...this.#editors.values()].filter((editor) => editor.hasEnded).map((editor) => editor.hold);
    return [...this.#holds, ...ended].sort((a, b) => a.hold - b.hold);
  }

  // MARK: Drawing

  #drawOpener() {
    const count = this.#holds.length;
    this.badge.textContent = String(count);
    this.opener.setAttribute('aria-label', count ? `Holds ${count}` : 'Holds');
    this.opener.classList.toggle('waiting', count > 0);
    if (count) this.opener.append(this.badge);
    else this.badge.remove();
  }

  #draw() {
    const shown = this.#shown();
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.hold : null;
    this.box.checked = this.#isTaking;
    this.remark.textContent = this.#isTaking ? '' : 'Messages pass: holding is off.';
    this.all.disabled = this.#holds.length === 0;
    this.list.replaceChildren(...shown.map((hold) => holdItem(hold, {
      isEnded: !this.#holds.includes(hold), isSelected: hold.hold === this.#selected, choose: () => this.#select(hold.hold), resume: () => this.#run(hold, 'resume'),
    })));
    this.list.parentElement.hidden = shown.length === 0;
    this.empty.hidden = shown.length > 0;
    this.empty.replaceChildren(...this.#emptyWords());
    drawTimes(this.list);
    this.#drawEditor();
    if (focused) (this.#itemOf(this.#selected) ?? this.box).focus();
  }

  #emptyWords() {
    if (!this.#isTaking) return ['Nothing is held. ', button('Hold messages', () => this.#setTaking(true)), ' to stop what rules and Intercept ask for.'];
    return ['Nothing is held. ', 'Messages appear here when one passes the filter of Intercept, or of a rule that holds; “Break on this” makes one.'];
  }

  #itemOf(number) {
    return this.list.querySelector(`.hold-item[data-hold="${number}"]`);
  }

  async #drawEditor() {
    const hold = this.#shown().find((one) => one.hold === this.#selected);
    if (!hold) return this.place.replaceChildren();
    const { HoldEditor } = await import('./hold-editor.js');
    if (this.#selected !== hold.hold) return;
    if (!this.#editors.has(hold.hold)) {
      this.#editors.set(hold.hold, new HoldEditor(hold, {
        decide: (what, edit) => this.#decide(hold, what, edit), dismiss: () => this.#dismiss(hold), compose: (message) => this.#compose(hold, message),
      }));
    }
    const { element } = this.#editors.get(hold.hold);
    if (this.place.firstChild !== element) this.place.replaceChildren(element);
  }

  #select(number) {
    this.#selected = number;
    this.#draw();
    this.#itemOf(number)?.focus();
  }

  // MARK: Decisions

  async #decide(hold, what, edit) {
    this.#decided.add(hold.hold);
    try {
      await json(`/holds/${hold.hold}/${what}`, { method: 'POST', body: edit });
    } catch (problem) {
      this.#decided.delete(hold.hold);
      throw problem;
    }
    notify(DONE[what]);
    const wasInside = this.contains(document.activeElement);
    await this.#read();
    if (wasInside) (this.#itemOf(this.#selected) ?? this.box).focus();
  }

  #run(hold, what) {
    return this.#decide(hold, what, {}).catch(notifyProblem);
  }

  async #resumeAll() {
    for (const { hold } of this.#holds) this.#decided.add(hold);
    await json('/holds/resume-all', { method: 'POST', body: {} }).catch(notifyProblem);
    this.#read();
  }

  async #setTaking(isOn) {
    await json('/holds/take', { method: 'POST', body: { on: isOn } }).catch(notifyProblem);
    this.#read();
  }

  #dismiss({ hold }) {
    this.#editors.delete(hold);
    this.#selected = this.#shown()[0]?.hold ?? null;
    this.#draw();
    (this.#itemOf(this.#selected) ?? this.box).focus();
  }

  async #compose(hold, message) {
    const { openComposer } = await import('./composer.js');
    const headers = message.headers.pairs.map(({ name, value }) => [name.trim(), value.trim()]);
    openComposer(null, { method: message.parts.method, url: hold.url, headers, body: message.body.text });
  }

  // MARK: Keys

  #key(event) {
    if (event.defaultPrevented || event.isComposing) return;
    const isWriting = event.target.closest('input:not([type=checkbox]), textarea');
    if (event.key === 'Escape') this.#escape(isWriting);
    else if (isWriting || event.ctrlKey || event.metaKey || event.altKey || !this.#press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /// Escape leaves the editor, then the tray; what was written stays.
  #escape(isWriting) {
    if (isWriting) (this.#itemOf(this.#selected) ?? this.box).focus();
    else this.toggle();
  }

  #press(event) {
    const hold = this.#holds.find((one) => one.hold === this.#selected);
    const editor = this.#editors.get(this.#selected);
    const isItem = event.target.matches('.hold-item');
    if (event.target.closest('button, input') && !isItem && ['Enter', ' '].includes(event.key)) return false;
    const run = {
      H: () => this.toggle(), A: () => this.#resumeAll(), B: () => this.#setTaking(!this.#isTaking),
      ArrowDown: () => this.#step(1), j: () => this.#step(1), ArrowUp: () => this.#step(-1), k: () => this.#step(-1),
      ...(editor ? { Enter: () => editor.focus(), e: () => editor.focus(), a: () => hold?.phase === 'request' && editor.answer() } : {}),
      ...(hold ? { s: () => this.#run(hold, 'resume'), d: () => this.#run(hold, 'drop') } : {}),
    }[event.key];
    run?.();
    return Boolean(run);
  }

  #step(rows) {
    const numbers = this.#shown().map(({ hold }) => hold);
    const next = numbers[numbers.indexOf(this.#selected) + rows];
    if (next !== undefined) this.#select(next);
  }
}

customElements.define('holds-tray', HoldsTray);
