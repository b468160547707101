// What follows when a request was sent from here.

import { notify } from './notices.js';
import { state } from './state.js';

/// Opens the new exchange.
export function opened(sent) {
  if (sent.recorded_as) {
    notify(`Sent; recorded in the data directory as exchange ${sent.recorded_as}`);
    return;
  }
  notify(`Exchange ${sent.id}: ${sent.status ?? sent.error ?? 'sent'}`);
  state.set('openId', String(sent.id));
}
