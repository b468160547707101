// The fields of a gRPC message whose type is not known, each with its most plausible reading, as
// the terminal shows them.

import { member, writeJSON } from './json-text.js';

/// The fields as a value for the tree, with the numbers of the fields as names.
export function fieldsNode(fields) {
  return { kind: 'object', items: fields.items.map((field) => ({ name: nameOf(field.node), node: reading(field.node) })) };
}

/// The fields on one line: `1: "text", 2: {1: 5}`.
export function fieldsLine(fields) {
  return lineOf(fieldsNode(fields));
}

function nameOf(field) {
  return member(field, 'problem') ? '…' : (member(field, 'number')?.text ?? '?');
}

/// A text is more plausible than a message, and that more than numbers.
function reading(field) {
  const found = (name) => member(field, name);
  if (found('problem')) return found('problem');
  if (found('text')) return found('text');
  if (found('message')) return fieldsNode(found('message'));
  const packed = found('packed')?.items?.[0]?.node;
  if (packed) return packed;
  const fraction = found('float') ?? found('double');
  if (fraction && isUsual(fraction)) return fraction;
  return found('int') ?? found('base64') ?? { kind: 'string', text: '' };
}

/// Whether bits make sense as a fraction: zero, or neither tiny nor huge.
function isUsual({ kind, text }) {
  const size = Math.abs(Number(text));
  return kind === 'number' && (size === 0 || (size >= 1e-6 && size <= 1e12));
}

function lineOf(node) {
  return node.items.map((item) => `${item.name}: ${valueText(item.node)}`).join(', ');
}

function valueText(node) {
  return node.kind === 'object' ? `{${lineOf(node)}}` : writeJSON(node);
}
