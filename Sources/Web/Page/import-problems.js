// What to do about a file that was not imported.

import { commandLine } from './commands.js';
import { bytes, shellWord } from './format.js';
import { state } from './state.js';

/// What is wrong and the next step, as `{ title, text, next }`; `next` is a list of elements.
/// `canRetry` says whether the same may succeed later.
export function importProblem(problem, file) {
  const known = PROBLEMS[problem.status] ?? (() => ({ title: 'The file was not imported', canRetry: true }));
  return { text: problem.message, next: [], canRetry: false, ...known(file, problem) };
}

/// Whether a file is larger than the server takes, which it need not be asked for.
export function isTooLarge(file) {
  return typeof state.status?.imports_at_most === 'number' && file.size > state.status.imports_at_most;
}

/// Why nothing can be imported here, or null.
export function whyNothing() {
  const { status } = state;
  if (status?.read_only) return 'This page shows exchanges that cannot be changed.';
  return status?.imports_at_most === null ? 'This page shows a central store: import into the store of one machine instead.' : null;
}

const PROBLEMS = {
  0: () => ({
    title: 'The connection was lost', canRetry: true,
    text: 'proxyctl web does not answer. An upload that was cut off leaves nothing behind.',
  }),
  403: () => ({ title: 'This store cannot be changed', next: [] }),
  409: () => ({ title: 'Another file is being imported', canRetry: true }),
  413: (file) => {
    const most = state.status?.imports_at_most;
    const limit = typeof most === 'number' ? `, and this page takes at most ${bytes(most)}` : ', which is more than this page takes';
    return {
      title: 'The file is too large', text: `It has ${bytes(file.size)}${limit}. The command has no limit:`,
      next: [commandLine(`proxyctl import ${shellWord(file.name)}`)],
    };
  },
  422: () => ({ title: 'The file cannot be read' }),
  507: () => ({ title: 'The disk is full', canRetry: true }),
};
