// JSON Web Tokens in an exchange. They are decoded, and nothing is verified: for that, the key
// would be needed.

import { dateTime, duration } from './format.js';
import { readJSON, member } from './json-text.js';

const DAY_MS = 86_400_000;
const TOKENS_MAX = 16;
const LENGTH_MAX = 64 << 10;

/// The tokens of an exchange in the order of its messages, each where it occurs first: `place`,
/// `header`, and `claims`, which are null if they are encrypted or not readable.
export function tokensOf(exchange) {
  const found = new Map();
  const look = (text, place) => {
    for (const [run] of (text ?? '').matchAll(/[\w.-]+/g)) {
      const token = found.size < TOKENS_MAX && !found.has(run) ? decoded(run) : null;
      if (token) found.set(run, { ...token, place });
    }
  };
  look(exchange.query, 'Query of the request');
  for (const part of ['request', 'response']) {
    const message = exchange[part];
    for (const [name, value] of message?.headers ?? []) look(value, `${name} of the ${part}`);
    look(message?.body_text, `Body of the ${part}`);
  }
  return [...found.values()];
}

/// The first token in a text, or null.
export function tokenIn(text) {
  for (const [run] of text.matchAll(/\be[\w-]+\.[\w.-]+/g)) {
    const token = decoded(run);
    if (token) return token;
  }
  return null;
}

/// The parts of a token (RFC 7515 §3.1, RFC 7516 §3.1), or null if the text is not one.
function decoded(text) {
  const parts = text.split('.');
  // Every header starts with a brace, which is an e in base64url.
  if (!text.startsWith('e') || text.length > LENGTH_MAX || (parts.length !== 3 && parts.length !== 5)) return null;
  const header = objectOf(parts[0]);
  const algorithm = member(header, 'alg');
  if (algorithm?.kind !== 'string') return null;
  const isEncrypted = parts.length === 5;
  return { text, header, algorithm: algorithm.text, isEncrypted, claims: isEncrypted ? null : objectOf(parts[1]) };
}

/// The JSON object in base64url, or null.
function objectOf(part) {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
    const node = readJSON(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return node.kind === 'object' ? node : null;
  } catch {
    return null;
  }
}

/// The times in the claims, in milliseconds since 1970, and whether each is against the token.
export function timesOf(token, now) {
  const times = [['Issued', 'iat'], ['Valid from', 'nbf'], ['Valid until', 'exp']];
  return times.map(([name, claim]) => ({ name, claim, at: Number(member(token.claims, claim)?.text ?? NaN) * 1000 }))
    .filter(({ at }) => Number.isFinite(at) && Math.abs(at) < 8e15)
    .map(({ name, claim, at }) => ({ name, at, isBad: claim === 'exp' ? at <= now : at > now }));
}

/// A time with how far away it is: `2026-01-05 09:00:00, 3 days ago`.
export function distance(at) {
  const ms = at - Date.now();
  const size = Math.abs(ms);
  const words = size < 2 * DAY_MS ? duration(Math.round(size / 1000) * 1000) : `${Math.floor(size / DAY_MS)} days`;
  return `${dateTime(new Date(at).toISOString())}, ${ms > 0 ? `in ${words}` : `${words} ago`}`;
}
