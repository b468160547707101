// What a message says: on one line for the table, and in full below it.

import { closeCodeText } from './codes.js';
import { el } from './dom.js';
import { bytes } from './format.js';
import { fieldsLine, fieldsNode } from './grpc-fields.js';
import { member, plainValue, readJSON, writeJSON } from './json-text.js';
import { jsonTree } from './json-tree.js';
import { section } from './section.js';

const LINE_LENGTH = 300;
const HEX_BYTES = 24;

/// A message of a node that `readJSON` made. What a gRPC message says stays a node: its numbers may
/// have more digits than the language keeps.
export function messageOf(node) {
  const own = ['json', 'fields'];
  const rest = { kind: 'object', items: node.items.filter((item) => !own.includes(item.name)) };
  return { ...plainValue(rest), json: member(node, 'json'), fields: member(node, 'fields') };
}

/// The message on one line.
export function messageLine(message) {
  const text = lineOf(message).trim();
  if (text) return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text;
  return message.bytes > 0 ? `(${bytes(message.bytes)}, not stored)` : '(empty)';
}

function lineOf(message) {
  if (message.json) return writeJSON(message.json);
  if (message.fields) return fieldsLine(message.fields);
  if (message.kind === 'close') return closeText(message);
  if (message.text) return message.kind === 'trailers' ? message.text.trim().replaceAll(/\r?\n/g, ', ') : message.text;
  if (message.base64) return hexText(message.base64);
  return message.event ? `event ${message.event}` : message.id ? `id ${message.id}` : message.retry ? `retry ${message.retry}` : '';
}

/// `1000 normal closure: bye`
function closeText({ code, reason }) {
  const name = code === null || code === undefined ? 'no code' : closeCodeText(code);
  return reason ? `${name}: ${reason}` : name;
}

function hexText(base64) {
  const start = atob(base64.slice(0, Math.ceil(HEX_BYTES / 3) * 4 + 4));
  const digits = [...start.slice(0, HEX_BYTES)].map((character) => character.charCodeAt(0).toString(16).padStart(2, '0'));
  return digits.join(' ') + (start.length > HEX_BYTES ? ' …' : '');
}

/// All of the message: JSON and gRPC as a tree.
export function messageDetail(message) {
  if (message.json) return [valueElement(message.json)];
  if (message.fields) {
    const all = section('Every reading of each field', jsonTree(message.fields), { isOpen: false });
    return [jsonTree(fieldsNode(message.fields)), all];
  }
  if (message.kind === 'close') return [el('pre', {}, closeText(message))];
  const node = parsed(message.text ?? '');
  if (node?.items) return [jsonTree(node)];
  return [el('pre', {}, message.text || message.base64 || messageLine(message))];
}

/// Facts about a message beside what it says.
export function messageFacts(message) {
  return [
    message.problem, message.type && `type ${message.type}`, message.event && `event ${message.event}`,
    message.id && `id ${message.id}`, message.retry && `retry after ${message.retry} ms`,
    message.cut && 'only the start was stored', message.unfinished && 'its end is missing',
  ].filter(Boolean);
}

/// What is copied.
export function messageText(message) {
  if (message.json) return writeJSON(message.json);
  if (message.fields) return fieldsLine(message.fields);
  return message.text ?? message.base64 ?? lineOf(message);
}

function valueElement(node) {
  return node.items ? jsonTree(node) : el('pre', {}, writeJSON(node));
}

function parsed(text) {
  try {
    return readJSON(text);
  } catch {
    return null;
  }
}
