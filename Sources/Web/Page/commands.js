// Commands to copy to a shell.

import { copyText } from './clipboard.js';
import { button, el } from './dom.js';
import { shellWord } from './format.js';

/// A command with a button that copies it.
export function commandLine(command) {
  return el('span', { class: 'command' }, el('code', {}, command),
    button('Copy', () => copyText(command, 'Copied the command'), { class: 'quiet', 'aria-label': `Copy ${command}` }));
}

/// What starts the daemon for this data directory.
export function daemonCommand(status) {
  return status?.daemon_command ?? 'proxyd';
}

/// What starts the server of this page again.
export function webCommand(status) {
  const isOther = status?.daemon_command?.includes('--data-dir');
  return isOther ? `proxyctl --data-dir ${shellWord(status.data_directory)} web` : 'proxyctl web';
}

/// The address of the proxy for clients on this machine.
export function proxyURL(status) {
  const address = status.addresses[0].replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
  return `http://${address}`;
}
