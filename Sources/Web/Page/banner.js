// <state-banner>: says above everything else that nothing new will come, and what to type.

import { commandLine, daemonCommand, webCommand } from './commands.js';
import { button, el } from './dom.js';
import { state } from './state.js';

export class StateBanner extends HTMLElement {
  #shown = '';
  #dismissed = '';

  connectedCallback() {
    this.hidden = true;
    state.on('status isServerUp isEmpty view', () => this.#draw());
  }

  /// Draws only if another thing is to be said, so that screen readers say it once.
  #draw() {
    const said = this.#words();
    const key = said ? said.join('\n') : '';
    if (key !== this.#dismissed) this.#dismissed = '';
    this.hidden = key === '' || key === this.#dismissed;
    if (key === this.#shown) return;
    this.#shown = key;
    if (!said) return this.replaceChildren();
    const [what, todo, command] = said;
    this.replaceChildren(
      el('div', { class: 'said' }, el('p', { role: 'alert' }, el('strong', {}, what), ` ${todo}`), command ? commandLine(command) : null),
      button('✕', () => this.#dismiss(key), { class: 'quiet', 'aria-label': 'Hide this message' }));
  }

  #dismiss(key) {
    this.#dismissed = key;
    this.#draw();
  }

  /// What is wrong, what to do, and the command for it.
  #words() {
    const { status } = state;
    if (!state.isServerUp) {
      return ['proxyctl web has ended.', 'This page shows what it read last. Start it again, and open the link that it prints:', webCommand(status)];
    }
    // The empty list says it in its place.
    const isSaid = state.isEmpty && ['list', 'waterfall'].includes(state.view);
    if (!status || status.read_only || isSaid) return null;
    if (!status.daemon) return ['proxyd is not running.', 'Nothing new is recorded. Start it with:', daemonCommand(status)];
    if (status.recording_stopped_because) return ['proxyd does not record:', `${status.recording_stopped_because}.`, ''];
    return null;
  }
}

customElements.define('state-banner', StateBanner);
