// Commands to copy to a shell.

import { copyText } from './clipboard.js';
import { el } from './dom.js';
import { shellWord } from './format.js';
import { iconButton } from './icons.js';
import { recall, remember } from './memory.js';

/// A command with a button that copies it.
export function commandLine(command) {
  return el('span', { class: 'command' }, el('code', {}, command),
    iconButton('copy', `Copy ${command}`, () => copyText(command, 'Copied the command'), { title: 'Copy' }));
}

/// What starts the daemon for this data directory.
export function daemonCommand(status) {
  return status?.daemon_command ?? 'proxyd';
}

/// What starts the server of this page again. It says so itself, but only while it answers.
export function webCommand(status) {
  const own = status?.own_command ?? recall('own-command', null);
  if (own) return own;
  const isOther = status?.daemon_command?.includes('--data-dir');
  return isOther ? `proxyctl --data-dir ${shellWord(status.data_directory)} web` : 'proxyctl web';
}

/// Keeps the command for the time when the server is gone.
export function keepWebCommand(status) {
  if (status.own_command) remember('own-command', status.own_command);
}

/// The address of the proxy for clients on this machine.
export function proxyURL(status) {
  const address = status.addresses[0].replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
  return `http://${address}`;
}
