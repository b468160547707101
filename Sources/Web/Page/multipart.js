// What the text parts of a multipart body say (RFC 7578), for those that come whole with their exchange.

import { isCutHere } from './cut-body.js';
import { headerOf } from './pairs.js';

const TEXT_MAX = 4000;

/// The texts of the parts in their order; null for a part that is not text, or too long. Null if the
/// body did not come whole.
export function partTexts(exchange) {
  const message = exchange.request;
  const boundary = /boundary="?([^";]+)"?/i.exec(headerOf(message, 'content-type') ?? '')?.[1];
  if (!boundary || message.body_truncated || isCutHere(exchange, 'request')) return null;
  const content = contentOf(message);
  if (content === null) return null;
  const parts = `\r\n${content}`.split(`\r\n--${boundary}`).slice(1, -1);
  return parts.map((part) => textOf(part.slice(part.indexOf('\r\n\r\n') + 4)));
}

/// The body with a character for each byte.
function contentOf({ body_text: text, body_base64: base64 }) {
  if (base64) return atob(base64);
  return text === null ? null : Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

function textOf(bytes) {
  if (bytes.length > TEXT_MAX) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}
