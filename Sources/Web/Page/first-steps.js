// What an empty list says: how to get something into it, as the terminal does.

import { commandLine, daemonCommand, proxyURL } from './commands.js';
import { button, el } from './dom.js';
import { shellWord } from './format.js';
import { state } from './state.js';

/// The content of an empty list. `status` is null until it is known, and without a store no filter
/// is to blame.
export function emptyList(status, hasStore) {
  if (state.filter && hasStore) {
    return [el('p', {}, 'No exchange passes the filter.'), button('Show all exchanges', () => state.set('filter', ''))];
  }
  if (status?.read_only) return [el('h2', {}, 'There are no exchanges here'), el('p', {}, 'This store can only be read.')];
  const isRunning = status?.daemon && status.addresses.length > 0;
  const remark = el('p', { class: 'dim' }, 'What passes the proxy appears here at once.');
  return [el('h2', {}, 'Nothing is recorded yet'), ...(isRunning ? sending(status) : starting(status)), remark];
}

function starting(status) {
  if (!status) return [];
  if (status.daemon) return [el('p', {}, 'proxyd is running, but does not listen on any address.')];
  return [step('Start the proxy:', daemonCommand(status))];
}

function sending(status) {
  const curl = `curl -x ${shellWord(proxyURL(status))}`;
  const certificate = status.certificate_path ? shellWord(status.certificate_path) : '"$(proxyctl ca path)"';
  return [
    step('Send something through the proxy:', `${curl} http://example.com/`),
    step("For HTTPS, trust the proxy's certificate, for one command or for all:", `${curl} --cacert ${certificate} https://example.com/`, 'proxyctl ca install'),
  ];
}

function step(words, ...commands) {
  return el('div', { class: 'step' }, el('p', {}, words), commands.map(commandLine));
}
