// Names and values as tables: headers, parameters, cookies, facts.

import { copyText } from './clipboard.js';
import { el } from './dom.js';
import { iconButton } from './icons.js';
import { markedText } from './lines.js';
import { tokenToggle } from './token-toggle.js';

const FOLDED_LENGTH = 400;

/// A table of pairs, each a name, a value, which is a text, an element or null, and perhaps a
/// remark. `kind` says what the values are, for the actions on them; what `pattern` finds is marked.
export function pairTable(label, pairs, { kind = '', pattern = null } = {}) {
  const rows = pairs.map((pair) => pairRow(pair, kind, pattern));
  return el('table', { class: `pairs ${kind || 'facts'}`, 'aria-label': label }, el('tbody', {}, rows));
}

function pairRow([name, value, remark], kind, pattern) {
  const row = el('tr', {},
    el('th', { scope: 'row' }, markedText(name, pattern)),
    el('td', {}, valueElement(value, pattern), remark ? el('div', { class: 'dim' }, remark) : null, copyButton(name, value)));
  if (kind && !(value instanceof Node)) capture(row, kind, name, value);
  return row;
}

/// Says what an element shows: `kind` and `name` as attributes, the whole value as a property.
export function capture(element, kind, name, value) {
  Object.assign(element.dataset, { kind, name });
  element.captured = { value };
}

/// A button that copies a value; it is seen while its row is pointed at or has the focus.
export function copyButton(name, value) {
  if (value === null || value === undefined || value instanceof Node) return null;
  return iconButton('copy', `Copy ${name}`, () => copyText(String(value), `Copied ${name}`), { class: 'icon quiet copy' });
}

/// A value that wraps; what is very long is cut until the user asks for it.
export function valueElement(value, pattern = null) {
  if (value instanceof Node) return value;
  if (value === null || value === undefined) return el('span', { class: 'dim' }, 'no value');
  const text = String(value);
  const element = el('span', { class: 'value' });
  const show = (part) => element.replaceChildren(...markedText(part, pattern));
  const token = tokenToggle(text);
  if (text.length <= FOLDED_LENGTH) {
    show(text);
    return token ? el('div', {}, element, token) : element;
  }
  show(`${text.slice(0, FOLDED_LENGTH)}…`);
  const more = el('button', { type: 'button', class: 'quiet', on: { click: () => {
    show(text);
    more.remove();
  } } }, 'Show all');
  return el('div', {}, element, more, token);
}

/// The value of the first field with a name in lower case.
export function headerOf(message, name) {
  return message?.headers?.find(([other]) => other.toLowerCase() === name)?.[1];
}
