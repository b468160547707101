// The menu of a value in an exchange: a header, a parameter, a member of JSON, the host.

import { copyText } from './clipboard.js';
import { visible } from './dom.js';
import { filterValue } from './format.js';
import { openMenu } from './menu.js';
import { breakOn, openRuleForm } from './rule-actions.js';
import { filterLike } from './rule-filter.js';
import { state } from './state.js';

const NOTE_LENGTH = 40;

/// Opens the menu of an element that says in `data-kind` and `data-name` which value it shows.
export function valueMenu(exchange, element, place) {
  const value = {
    kind: element.dataset.kind, name: element.dataset.name ?? '', text: String(element.captured?.value ?? element.textContent),
    part: element.closest('[data-part]')?.dataset.part ?? 'request',
  };
  openMenu(value.name || value.kind, items(exchange, value), place);
}

function items(exchange, value) {
  const field = filterField(value);
  const target = ruleTarget(value);
  const canChange = state.status?.read_only !== true;
  const groups = [
    copyItems(value),
    field ? filterItems(field, value) : [],
    canChange && exchange ? ruleItems(exchange, field, target, value) : [],
  ];
  return groups.filter((group) => group.length).flatMap((group, index) => (index ? [null, ...group] : group));
}

function copyItems({ kind, name, text }) {
  const copies = [{ text: 'Copy value', note: short(text), run: () => copyText(text, 'Copied the value') }];
  if (name) copies.push({ text: kind === 'json' ? 'Copy path' : 'Copy name', note: short(name), run: () => copyText(name, `Copied ${visible(name)}`) });
  if (name && kind.includes('header')) copies.push({ text: 'Copy line', run: () => copyText(`${name}: ${text}`, 'Copied the line') });
  return copies;
}

function filterItems(field, { text }) {
  return [
    { text: 'Only with this value', note: short(field), run: () => state.narrow(`${field}=${filterValue(text)}`) },
    { text: 'Hide what has this value', run: () => state.narrow(`${field}!=${filterValue(text)}`) },
    ...(field.includes('.') ? [{ text: 'Only where it occurs', run: () => state.narrow(`${field}:""`) }] : []),
  ];
}

function ruleItems(exchange, field, target, { part, text }) {
  const actions = [];
  if (part === 'request' && field) {
    const filter = `${filterLike(exchange)} ${field}=${filterValue(text)}`;
    actions.push({ text: 'Break on this value', run: () => breakOn(exchange, filter) });
  }
  if (target) {
    actions.push({ text: 'Rewrite…', run: () => openRuleForm('rewrite', exchange, { target, part, value: text }) });
    actions.push({ text: 'Remove…', run: () => openRuleForm('rewrite', exchange, { target, part, verb: 'remove' }), isDisabled: target.what === 'status' });
  }
  return actions;
}

/// The field of the filter language that examines the value; null if there is none.
function filterField({ kind, name, part }) {
  if (kind === 'header') return `${part === 'response' ? 'resheader' : 'reqheader'}.${name.toLowerCase()}`;
  if (kind === 'json') return `${part === 'response' ? 'resjson' : 'param'}.${name}`;
  if (['query', 'form', 'multipart'].includes(kind)) return /^[\w.[\]-]+$/.test(name) ? `param.${name}` : null;
  return ['host', 'path', 'status', 'method', 'url'].includes(kind) ? kind : null;
}

/// What rules call the value; null if they cannot change it.
function ruleTarget({ kind, name }) {
  if (kind === 'set-cookie') return { what: 'cookie', name };
  if (kind === 'multipart') return { what: 'form', name };
  if (['header', 'query', 'form', 'json', 'cookie'].includes(kind)) return { what: kind, name };
  return ['path', 'url', 'status', 'method'].includes(kind) ? { what: kind, name: '' } : null;
}

function short(text) {
  return text.length > NOTE_LENGTH ? `${text.slice(0, NOTE_LENGTH)}…` : text;
}
