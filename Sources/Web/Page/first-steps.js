// What the list says when it has no rows: why, and what to do next.

import { commandLine, daemonCommand, proxyURL } from './commands.js';
import { openImport } from './doors.js';
import { button, el } from './dom.js';
import { emptyState } from './empty-state.js';
import { shellWord } from './format.js';
import { icon } from './icons.js';
import { state } from './state.js';

/// `status` is null until it is known; `problem` is why the rows could not be read, or null; `again`
/// reads them again.
export function listMessage(status, problem, again) {
  if (problem && !isMissing(status, problem)) return failure(status, problem, again);
  if (state.filter && !problem) return noResult();
  if (status?.read_only) return emptyState({ icon: 'folder', title: 'There are no exchanges here', text: 'What is shown here can only be read.' });
  return firstSteps(status);
}

/// Whether there is no store yet, rather than one that cannot be read.
function isMissing(status, problem) {
  return problem.status === 503 && (status?.store_bytes ?? null) === null;
}

function noResult() {
  const back = state.earlier.at(-1) ? button('Previous filter', () => state.undoFilter(), { title: 'Go back to the previous filter (u)' }) : null;
  return emptyState({
    icon: 'filter', title: 'No exchange passes the filter', text: state.filter,
    actions: [button('Clear filter', () => state.set('filter', ''), { class: 'primary' }), back].filter(Boolean),
  });
}

function failure(status, problem, again) {
  const retry = button([icon('replay'), 'Try again'], again, { class: 'primary' });
  if (problem.status === 403 || /permission denied/i.test(problem.message)) {
    const look = status ? commandLine(`ls -ld ${shellWord(status.data_directory)}`) : null;
    return emptyState({
      icon: 'lock', title: 'No permission to read this', text: `${problem.message}. Start proxyctl web as a user who may read it. This shows who that is:`,
      actions: [look, retry].filter(Boolean),
    });
  }
  // The banner says that the server is gone, and with which command it comes back.
  if (problem.status === 0) return emptyState({ icon: 'warning', title: 'Not connected', text: problem.message, actions: [retry] });
  return emptyState({
    icon: 'error', title: 'The exchanges could not be read', text: problem.message,
    actions: [retry, status ? commandLine(checkCommand(status)) : null].filter(Boolean),
  });
}

function checkCommand(status) {
  return `proxyctl --data-dir ${shellWord(status.data_directory)} check`;
}

function firstSteps(status) {
  const isRunning = status?.daemon && status.addresses.length > 0;
  const steps = !status ? [] : isRunning ? sending(status) : starting(status);
  const canImport = status && !status.read_only && status.imports_at_most !== null && status.imports_at_most !== undefined;
  return el('div', { class: 'first-steps' },
    el('h2', {}, 'Nothing is recorded yet'), el('ol', {}, steps),
    el('p', { class: 'dim' }, isRunning ? 'What passes the proxy appears here at once.' : 'The page follows as soon as the proxy runs.'),
    canImport ? el('div', { class: 'controls' }, button([icon('import'), 'Open a capture file…'], () => openImport()),
      el('span', { class: 'dim' }, 'or drop a HAR, mitmproxy, Charles, Fiddler or packet file here')) : null);
}

function starting(status) {
  if (status.daemon) return [el('li', {}, el('p', {}, 'proxyd is running, but does not listen on any address.'))];
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
  return el('li', {}, el('div', { class: 'step' }, el('p', {}, words), commands.map(commandLine)));
}
