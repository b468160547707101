// Copies text, and says what was copied.

import { notify, notifyProblem } from './notices.js';

/// Copies a text, or what a promise of a text brings: browsers allow copying only during a click,
/// so that the clipboard gets the promise.
export async function copyText(text, what = 'Copied') {
  const promise = Promise.resolve(text);
  try {
    if (globalThis.ClipboardItem && typeof text !== 'string') {
      const made = promise.then((value) => new Blob([value], { type: 'text/plain' }));
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': made })]);
    } else {
      await navigator.clipboard.writeText(await promise);
    }
    notify(what);
  } catch (problem) {
    if (problem?.status !== undefined) notifyProblem(problem);
    else notify('The browser did not allow copying.', { kind: 'bad' });
  }
}
