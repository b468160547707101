// <holds-tray>: what rules hold. It never opens by itself; the button in the header says how many
// messages wait.

import { json } from './api.js';
import { field, openDialog } from './dialog.js';
import { button, el } from './dom.js';
import { bytes, counted } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

export class HoldsTray extends HTMLElement {
  #holds = [];
  #isTaking = false;

  constructor() {
    super();
    this.opener = button('Holds', () => this.toggle(), { 'aria-expanded': 'false', title: 'What rules hold (H)' });
  }

  connectedCallback() {
    this.hidden = true;
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', 'Holds');
    state.on('holds', ({ detail }) => (detail ? this.#take(detail) : this.#read()));
    // A server of an older version sends no holds, only how many there are.
    state.on('status', () => state.status.holds !== this.#holds.length && this.#read());
    this.#read();
    setInterval(() => this.#holds.length && !this.hidden && this.#drawTimes(), 1000);
  }

  /// The button that opens the tray.
  button() {
    return this.opener;
  }

  toggle() {
    this.hidden = !this.hidden;
    this.opener.setAttribute('aria-expanded', String(!this.hidden));
    if (this.hidden) return this.opener.focus();
    this.#draw();
    this.querySelector('input').focus();
  }

  async #read() {
    try {
      this.#take(await json('/holds'));
    } catch {
      // Without a daemon nothing is held.
      this.#take({ holds: [] });
    }
  }

  /// What `GET /holds` says, or an event that says the same.
  #take({ holds, taking = this.#isTaking }) {
    this.#holds = holds;
    this.#isTaking = taking;
    const count = this.#holds.length;
    this.opener.textContent = count ? `Holds ${count}` : 'Holds';
    this.opener.classList.toggle('waiting', count > 0);
    if (!this.hidden) this.#draw();
  }

  #draw() {
    const focused = this.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    const box = el('input', { type: 'checkbox', role: 'switch', checked: this.#isTaking, 'aria-label': 'Hold messages', on: { change: () => this.#setTaking(box.checked) } });
    const bar = el('div', { class: 'body-bar' }, el('label', {}, box, ' Hold messages'),
      el('span', { class: 'dim grow' }, this.#isTaking ? 'Rules with hold = true hold messages.' : 'Messages are held only while holding is on.'),
      button('Let all go on', () => this.#decide('/holds/resume-all'), { disabled: this.#holds.length === 0 }),
      button('✕', () => this.toggle(), { class: 'quiet', 'aria-label': 'Close holds' }));
    this.replaceChildren(bar, this.#list());
    if (focused) (this.querySelector(`[aria-label="${CSS.escape(focused)}"]`) ?? box).focus();
  }

  #list() {
    if (this.#holds.length === 0) return el('p', { class: 'dim' }, 'Nothing is held.');
    return el('ul', { class: 'holds' }, this.#holds.map((hold) => this.#item(hold)));
  }

  #item(hold) {
    const path = `/holds/${hold.hold}`;
    const what = hold.phase === 'response' ? `← ${hold.status ?? ''}` : '→';
    return el('li', {}, el('span', { class: 'mono grow' }, `${what} ${hold.method} ${hold.url}`),
      el('span', { class: 'dim' }, `${hold.rule}${hold.body_bytes ? `, ${bytes(hold.body_bytes)}` : ''}${hold.claimed_by ? `, open in ${hold.claimed_by}` : ''}`),
      el('span', { class: 'waited', data: { since: hold.since } }, waited(hold.since)),
      button('Edit', () => editHold(hold), { 'aria-label': `Edit hold ${hold.hold}` }),
      button('Go on', () => this.#decide(`${path}/resume`), { 'aria-label': `Let hold ${hold.hold} go on` }),
      button('Drop', () => this.#decide(`${path}/drop`), { 'aria-label': `Drop hold ${hold.hold}` }));
  }

  #drawTimes() {
    for (const element of this.querySelectorAll('.waited')) element.textContent = waited(element.dataset.since);
  }

  async #setTaking(isOn) {
    try {
      await json('/holds/take', { method: 'POST', body: { on: isOn } });
      this.#isTaking = isOn;
    } catch (problem) {
      notifyProblem(problem);
    }
    this.#read();
  }

  async #decide(path) {
    await decide(path, {});
    this.#read();
  }
}

async function decide(path, body) {
  try {
    await json(path, { method: 'POST', body });
    return true;
  } catch (problem) {
    notifyProblem(problem);
    return false;
  }
}

function waited(since) {
  return `waits ${counted(Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000)), 'second')}`;
}

/// Edits a held message, or answers the client in the server's place.
async function editHold(hold) {
  let message;
  try {
    message = await json(`/holds/${hold.hold}`);
  } catch (problem) {
    return notifyProblem(problem);
  }
  const head = el('textarea', { rows: 10, spellcheck: false, value: (message.head ?? '').replaceAll('\r', '').trimEnd() });
  const hasText = typeof message.body_text === 'string';
  const body = el('textarea', { rows: 8, spellcheck: false, value: message.body_text ?? '', disabled: !hasText });
  const before = head.value;
  const bodyBefore = body.value;
  const run = async (what) => {
    const edit = {};
    if (head.value !== before || what === 'answer') edit.head = `${head.value.trimEnd().replaceAll('\n', '\r\n')}\r\n\r\n`;
    if ((hasText && body.value !== message.body_text) || what === 'answer') edit.body_text = body.value;
    if (!(await decide(`/holds/${hold.hold}/${what}`, edit))) return;
    dialog.close();
    notify(what === 'answer' ? 'Answered' : 'It goes on');
    state.tell('holds');
  };
  const answer = button('Write an answer', () => {
    head.value = 'HTTP/1.1 200 OK\nContent-Type: text/plain';
    body.disabled = false;
    body.value = '';
    answer.replaceWith(button('Answer', () => run('answer'), { class: 'primary' }));
    head.focus();
  });
  const actions = [hold.phase === 'request' ? answer : null, button('Go on', () => run('resume'), { class: 'primary' })].filter(Boolean);
  const dialog = openDialog(`Hold ${hold.hold}: ${hold.phase}`, [
    field('Head', head), field('Body', body, hasText ? '' : 'Not text, or not held: it goes on as it is.'),
  ], actions, { isWide: true, hasDraft: () => head.value !== before || body.value !== bodyBefore });
}

customElements.define('holds-tray', HoldsTray);
