// Cookies: those that a request sends, and those that a response sets, with their attributes (RFC 6265).

import { el } from './dom.js';
import { duration } from './format.js';
import { capture, copyButton, pairTable, valueElement } from './pairs.js';
import { distance } from './tokens.js';

const FLAGS = { secure: 'Secure', httponly: 'HttpOnly', partitioned: 'Partitioned' };

/// The cookies of Cookie fields, as names and values.
function cookiesSent(message) {
  return fields(message, 'cookie').flatMap((value) => value.split(';')).map(pairOf).filter(([name, value]) => name || value);
}

/// The cookies of Set-Cookie fields: `name`, `value`, and `attributes` by their names in lower case.
function cookiesSet(message) {
  return fields(message, 'set-cookie').map((text) => {
    const [first, ...rest] = text.split(';');
    const [name, value] = pairOf(first);
    const attributes = new Map(rest.map(pairOf).map(([key, given]) => [key.toLowerCase(), given]));
    return { name, value, attributes };
  });
}

/// A table of either kind, or null if the message has no cookies.
export function cookieTable(exchange, part) {
  if (part === 'request') {
    const sent = cookiesSent(exchange.request);
    return sent.length ? pairTable('Cookies sent', sent, { kind: 'cookie' }) : null;
  }
  const set = cookiesSet(exchange.response);
  if (set.length === 0) return null;
  const heads = ['Name', 'Value', 'For', 'Until', 'Rules'].map((text) => el('th', { scope: 'col' }, text));
  return el('table', { class: 'table cookie-table', 'aria-label': 'Cookies set' },
    el('thead', {}, el('tr', {}, heads)), el('tbody', {}, set.map((one) => setRow(one, exchange))));
}

export function hasCookies(exchange) {
  return cookiesSent(exchange.request).length > 0 || cookiesSet(exchange.response).length > 0;
}

function setRow({ name, value, attributes }, exchange) {
  const row = el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'data' }, valueElement(value), copyButton(name, value)),
    el('td', {}, scope(attributes, exchange)), el('td', {}, until(attributes)), el('td', {}, el('div', { class: 'flags' }, flags(attributes))));
  capture(row, 'set-cookie', name, value);
  return row;
}

function scope(attributes, exchange) {
  return `${attributes.get('domain')?.replace(/^\.?/, '*.') || exchange.host || ''}${attributes.get('path') ?? ''}`;
}

/// When the cookie ends; Max-Age counts from the exchange, and before Expires.
function until(attributes) {
  const age = attributes.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0 ? 'deleted' : `after ${duration(Number(age) * 1000)}`;
  const at = Date.parse(attributes.get('expires') ?? '');
  if (Number.isNaN(at)) return 'end of the session';
  return at <= 0 ? 'deleted' : distance(at);
}

function flags(attributes) {
  const names = Object.keys(FLAGS).filter((key) => attributes.has(key)).map((key) => FLAGS[key]);
  const site = attributes.get('samesite');
  return [...names, site ? `SameSite=${site}` : null].filter(Boolean).map((text) => el('span', { class: 'badge' }, text));
}

function fields(message, name) {
  return (message?.headers ?? []).filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
}

function pairOf(text) {
  const place = text.indexOf('=');
  return place < 0 ? [text.trim(), ''] : [text.slice(0, place).trim(), text.slice(place + 1).trim()];
}
