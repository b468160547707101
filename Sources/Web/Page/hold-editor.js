// Edits a held message, or writes the answer that the client gets in its place. What was written
// stays when another message is chosen, and when the hold ends.

import { json } from './api.js';
import { button, el, setText } from './dom.js';
import { wireHead } from './message-head.js';
import { MessageEditor } from './message-editor.js';

const ANSWER = { head: 'HTTP/1.1 200 OK\nContent-Type: application/json', body: '' };

export class HoldEditor {
  #message = null;
  #answer = null;
  #isAnswering = false;
  #end = '';

  /// - Parameter decide: Gets `resume`, `answer` or `drop` and what was edited; returns whether it
  ///   was done.
  constructor(hold, { decide, dismiss, compose }) {
    Object.assign(this, { hold, decide, dismiss, compose });
    this.place = el('div', { class: 'hold-message' });
    this.problem = el('p', { class: 'bad', role: 'alert' });
    this.actions = el('div', { class: 'controls hold-actions' });
    this.element = el('section', { class: 'hold-editor', 'aria-label': `Message of hold ${hold.hold}` }, this.place, this.problem, this.actions);
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run(this.#isAnswering ? 'answer' : 'resume');
    });
    this.#read();
  }

  async #read() {
    const { hold, phase } = this.hold;
    try {
      const { head, body_text: body } = await json(`/holds/${hold}`);
      this.#message = new MessageEditor({ head: head ?? '', body }, phase, () => this.#changed());
      this.#draw();
    } catch (problem) {
      setText(this.problem, problem.message);
    }
  }

  /// Whether something was written that would be lost.
  get isChanged() {
    return Boolean(this.#message?.isChanged || this.#answer?.isChanged);
  }

  get hasEnded() {
    return this.#end !== '';
  }

  focus() {
    (this.#isAnswering ? this.#answer : this.#message)?.focus();
  }

  /// Lets the message go on as edited, answers or drops it.
  async run(what) {
    if (this.hasEnded) return;
    setText(this.problem, '');
    try {
      await this.decide(what, this.#edit(what));
    } catch (problem) {
      setText(this.problem, problem.message);
    }
  }

  #edit(what) {
    if (what === 'drop') return {};
    if (what === 'answer') return { head: wireHead(this.#answer.head), body_text: this.#answer.body.text };
    const edit = {};
    if (this.#message?.isHeadChanged) edit.head = wireHead(this.#message.head);
    if (this.#message?.isBodyChanged) edit.body_text = this.#message.body.text;
    return edit;
  }

  /// Writes the answer, or goes back to the message.
  answer(isAnswering = true) {
    if (this.hasEnded) return;
    if (isAnswering) this.#answer ??= new MessageEditor(ANSWER, 'response', () => this.#changed());
    this.#isAnswering = isAnswering;
    this.#draw();
    this.focus();
  }

  /// The message is not held any more, by a decision made elsewhere or because its time was over.
  end(why) {
    this.#end = why;
    this.#draw();
  }

  #changed() {
    this.element.classList.toggle('changed', this.isChanged);
  }

  #draw() {
    const editor = this.#isAnswering ? this.#answer : this.#message;
    const title = this.#isAnswering ? el('h3', { class: 'answer-title' }, 'The answer that the client gets') : null;
    this.place.replaceChildren(...[this.#ended(), title, editor?.element].filter(Boolean));
    this.actions.replaceChildren(...this.#buttons());
  }

  #ended() {
    if (!this.hasEnded) return null;
    return el('p', { class: 'hold-ended', role: 'alert' }, el('strong', {}, `${this.#end} `), this.isChanged ? 'What you wrote is kept here until you close it.' : '');
  }

  #buttons() {
    const { hold, phase } = this.hold;
    if (this.hasEnded) {
      return [
        button('Close', () => this.dismiss(), { class: 'primary' }),
        phase === 'request' && this.#message ? button('Send as a new request', () => this.compose(this.#message)) : null,
      ].filter(Boolean);
    }
    if (this.#isAnswering) {
      return [
        button('Send the answer', () => this.run('answer'), { class: 'primary', title: 'Control and Enter' }),
        button('Back to the message', () => this.answer(false)),
      ];
    }
    const action = (text, run, label, title, properties = {}) => button(text, run, { 'aria-label': label, title, ...properties });
    return [
      action('Go on', () => this.run('resume'), `Let hold ${hold} go on as edited`, 'Let it go on as edited (Control and Enter)', { class: 'primary' }),
      phase === 'request' ? action('Answer…', () => this.answer(), `Answer hold ${hold}`, 'Answer the client in place of the server (a)') : null,
      action('Drop', () => this.run('drop'), `Drop hold ${hold}`, 'Close the connection of the client without an answer (d)'),
    ].filter(Boolean);
  }
}
