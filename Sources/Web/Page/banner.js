// <state-banner>: says above everything else that nothing new will come, and what to type.

import { commandLine, daemonCommand, webCommand } from './commands.js';
import { el } from './dom.js';
import { icon, iconButton } from './icons.js';
import { state } from './state.js';

class StateBanner extends HTMLElement {
  #shown = '';
  #dismissed = '';

  connectedCallback() {
    this.hidden = true;
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', 'Warning');
    state.on('status isServerUp isEmpty isStoreGone view', () => this.#draw());
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
      icon('warning'),
      el('div', { class: 'said' }, el('p', { role: 'alert' }, el('strong', {}, what), ` ${todo}`), command ? commandLine(command) : null),
      iconButton('close', 'Hide this message', () => this.#dismiss(key)));
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
    if (state.isStoreGone) {
      const where = `${status.data_directory} has no recorded exchanges any more; this page shows what it read last.`;
      return ['The store is gone.', `${where} proxyd makes a new store when it starts:`, daemonCommand(status)];
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
