// Long bodies come cut with their exchange; what is missing is read elsewhere.

import { headerOf } from './pairs.js';

/// The most bytes of a body that come with an exchange.
const BYTES_MAX = 256 << 10;

/// Whether less of a body may have come than is stored. A coded body is cut in its stored form, or
/// earlier if it grows too much.
export function isCutHere(exchange, part) {
  const message = exchange[part];
  if (!exchange.cut || !message?.body_kept_bytes) return false;
  return message.body_kept_bytes > BYTES_MAX || headerOf(message, 'content-encoding') !== undefined;
}
