// Names and values as tables: headers, parameters, cookies, facts.

import { button, el, setText, visible } from './dom.js';
import { copyText } from './clipboard.js';

const FOLDED_LENGTH = 400;

/// A titled section that folds.
export function section(title, content, { note = '', isOpen = true } = {}) {
  const summary = el('summary', {}, el('h3', {}, title), note ? el('span', { class: 'dim' }, note) : null);
  return el('details', { class: 'section', open: isOpen }, summary, content);
}

/// A table of pairs, each a name and a value, which may be null. A value can be copied.
export function pairTable(label, pairs) {
  const rows = pairs.map(([name, value]) => el('tr', {},
    el('th', { scope: 'row' }, name),
    el('td', {}, valueElement(value), copyButton(name, value))));
  return el('table', { class: 'pairs', 'aria-label': label }, el('tbody', {}, rows));
}

function copyButton(name, value) {
  if (value === null || value instanceof Node) return null;
  return button('Copy', () => copyText(String(value)), { class: 'copy', 'aria-label': `Copy ${name}` });
}

function valueElement(value) {
  if (value instanceof Node) return value;
  if (value === null || value === undefined) return el('span', { class: 'dim' }, 'no value');
  const text = visible(String(value));
  if (text.length <= FOLDED_LENGTH) return el('span', { class: 'value' }, text || ' ');
  const rest = el('span', { class: 'value' }, `${text.slice(0, FOLDED_LENGTH)}…`);
  const more = button('Show all', () => {
    setText(rest, text);
    more.remove();
  }, { class: 'quiet' });
  return el('span', {}, rest, more);
}

/// The value of the first field with a name in lower case.
export function headerOf(message, name) {
  return message?.headers?.find(([other]) => other.toLowerCase() === name)?.[1];
}

/// The cookies of a Cookie field, or of Set-Cookie fields with their attributes.
export function cookiesOf(headers) {
  const pairs = [];
  for (const [name, value] of headers ?? []) {
    const lower = name.toLowerCase();
    if (lower === 'cookie') for (const part of value.split(';')) pairs.push(cookiePair(part));
    if (lower === 'set-cookie') pairs.push(cookiePair(value));
  }
  return pairs;
}

function cookiePair(text) {
  const place = text.indexOf('=');
  return place < 0 ? [text.trim(), ''] : [text.slice(0, place).trim(), text.slice(place + 1).trim()];
}
