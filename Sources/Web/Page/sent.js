// What follows when a request was sent from here.

import { notify } from './notices.js';
import { state } from './state.js';

/// Opens the new exchange, and offers to compare it with the one that it repeats.
export function opened(sent, { original = null, say = notify } = {}) {
  if (sent.recorded_as) return say(`Sent; recorded in the data directory as exchange ${sent.recorded_as}`);
  const run = async () => (await import('./diff-view.js')).openDiff(String(original), String(sent.id));
  say(`Exchange ${sent.id}: ${sent.status ?? sent.error ?? 'sent'}`, { action: original ? { text: 'Compare', run } : null });
  state.set('openId', String(sent.id));
}
