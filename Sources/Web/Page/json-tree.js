// A JSON value as a tree that folds. Folded parts have no elements, so that large values open
// immediately.

import { copyText } from './clipboard.js';
import { el } from './dom.js';
import { iconButton } from './icons.js';
import { pathOf } from './json-path.js';
import { writeJSON } from './json-text.js';
import { markedText } from './lines.js';
import { tokenIn } from './tokens.js';
import { focusItem, moveByKey } from './tree-keys.js';

const ITEMS_SHOWN = 200;
const OPEN_ITEMS_MAX = 40;
const OPEN_DEPTH = 3;
/// As many lines as unfold by themselves, so that large values open immediately.
const OPEN_LINES_MAX = 1000;
const PREVIEW_LENGTH = 60;
const TOKEN_LENGTH_MIN = 40;

/// The tree of a node that `readJSON` made. What `pattern` finds is marked, and the first of it is
/// unfolded.
export function jsonTree(node, { label = 'JSON', pattern = null } = {}) {
  const list = el('ul', { class: 'json', role: 'tree', 'aria-label': label, on: { keydown: pressed } });
  const sought = { pattern, nodes: new Set(pattern ? (pathTo(node, pattern) ?? []) : []), linesLeft: OPEN_LINES_MAX };
  if (node.items?.length) addItems(list, { node, path: '', depth: 0 }, 0, sought);
  else list.append(item(null, { node, path: '', depth: 0 }, sought));
  list.firstChild.tabIndex = 0;
  list.addEventListener('click', clicked);
  offerCopy(list);
  return list;
}

function clicked(event) {
  const row = event.target.closest('[role=treeitem]');
  if (!row || event.target.closest('button') || event.target.closest('ul') !== row.parentElement) return;
  focusItem(event.currentTarget, row);
  if (getSelection().isCollapsed) row.toggle?.();
}

/// The nodes that lead to the first one that a pattern finds, or null.
function pathTo(node, pattern) {
  if (!node.items) return finds(pattern, node.text) ? [node] : null;
  for (const { name, node: child } of node.items) {
    const path = node.kind === 'object' && finds(pattern, name) ? [child] : pathTo(child, pattern);
    if (path) return [node, ...path];
  }
  return null;
}

function finds(pattern, text) {
  return text.search(pattern) >= 0;
}

/// Buttons that go to the value under the pointer: some for each would make large trees heavy.
function offerCopy(list) {
  const at = (copy) => () => copy(tools.closest('[role=treeitem]'));
  const properties = { class: 'icon quiet', tabIndex: -1, on: { mousedown: (event) => event.preventDefault() } };
  const tools = el('span', { class: 'copy' },
    iconButton('copy', 'Copy the value (c)', at(copyValue), properties), iconButton('link', 'Copy the path (C)', at(copyPath), properties));
  list.addEventListener('pointerover', ({ target }) => {
    const line = target.closest('.line');
    if (line && tools.parentElement !== line && line.parentElement.captured) line.append(tools);
  });
  list.addEventListener('pointerleave', () => tools.remove());
}

function copyValue(row) {
  copyText(row.captured.value, 'Copied the value');
}

function copyPath(row) {
  copyText(row.dataset.name, `Copied ${row.dataset.name || 'an empty path'}`);
}

const COPIES = { c: copyValue, C: copyPath };

function pressed(event) {
  const row = document.activeElement;
  const copy = COPIES[event.key];
  if (!copy || event.ctrlKey || event.altKey || event.metaKey || !row.captured) return moveByKey(event);
  event.preventDefault();
  event.stopPropagation();
  copy(row);
}

/// The line of a value; `place` has its node, path and depth.
function item(name, place, sought) {
  const { node } = place;
  sought.linesLeft -= 1;
  const row = el('li', { role: 'treeitem', tabIndex: -1, data: { kind: 'json', name: place.path } });
  row.captured = { get value() { return node.kind === 'string' ? node.text : writeJSON(node); } };
  const line = el('div', { class: 'line' });
  if (name !== null) line.append(el('span', { class: 'role-key' }, markedText(name, sought.pattern)), el('span', { class: 'role-punctuation' }, ': '));
  row.append(line);
  if (node.items) foldable(row, line, place, sought);
  else line.append(leaf(node, sought.pattern));
  if (node.kind === 'string' && node.text.length >= TOKEN_LENGTH_MIN) addToken(row, line, place, sought);
  return row;
}

function leaf(node, pattern) {
  const roles = { string: 'role-string', number: 'role-number', word: 'role-keyword' };
  const text = markedText(node.text, pattern);
  return el('span', { class: roles[node.kind] }, node.kind === 'string' ? ['"', ...text, '"'] : text);
}

function foldable(row, line, place, sought) {
  const { node, depth } = place;
  const count = node.items.length;
  if (count === 0) return line.append(el('span', { class: 'role-punctuation' }, node.kind === 'object' ? '{}' : '[]'));
  line.append(el('span', { class: 'folded dim' }, preview(node)));
  makeFoldable(row, (group) => addItems(group, { ...place, depth: depth + 1 }, 0, sought));
  const isOpen = depth < OPEN_DEPTH && count <= OPEN_ITEMS_MAX && sought.linesLeft > 0;
  if (isOpen || sought.nodes.has(node)) row.toggle(true);
}

/// What is in a folded value: the names of an object, the number of elements of an array.
function preview(node) {
  if (node.kind === 'array') return `[ ${node.items.length} ]`;
  const names = node.items.slice(0, 12).map((one) => one.name).join(', ');
  const isCut = names.length > PREVIEW_LENGTH || node.items.length > 12;
  return `{ ${isCut ? `${names.slice(0, PREVIEW_LENGTH)}…` : names} }`;
}

/// A text that is a JSON Web Token unfolds to what it says.
function addToken(row, line, place, sought) {
  const token = tokenIn(place.node.text);
  if (!token || token.text !== place.node.text) return;
  line.append(el('span', { class: 'badge token-badge' }, 'JSON Web Token'));
  const parts = { kind: 'object', items: [{ name: 'header', node: token.header }] };
  if (token.claims) parts.items.push({ name: 'claims', node: token.claims });
  makeFoldable(row, (group) => {
    group.append(...parts.items.map(({ name, node }) => item(name, { node, path: place.path, depth: 0 }, sought)));
  });
}

function makeFoldable(row, fill) {
  const group = el('ul', { role: 'group', hidden: true });
  row.append(group);
  row.setAttribute('aria-expanded', 'false');
  row.toggle = (isOpen = group.hidden) => {
    if (isOpen && !group.firstChild) fill(group);
    group.hidden = !isOpen;
    row.setAttribute('aria-expanded', String(isOpen));
  };
}

function addItems(group, place, from, sought) {
  const { items, kind } = place.node;
  const found = items.findIndex((one) => sought.nodes.has(one.node));
  const part = items.slice(from, Math.max(from + ITEMS_SHOWN, found + 1));
  group.append(...part.map(({ name, node }) => item(name, { node, path: pathOf(place.path, name, kind === 'array'), depth: place.depth }, sought)));
  const rest = items.length - from - part.length;
  if (rest <= 0) return;
  const more = el('li', { role: 'treeitem', tabIndex: -1 }, el('div', { class: 'line accent' }, `${rest} more…`));
  more.toggle = () => {
    more.remove();
    addItems(group, place, from + part.length, sought);
  };
  group.append(more);
}

/// Shows or hides everything below a tree.
export function foldAll(tree, isOpen) {
  const rows = () => tree.querySelectorAll(`[aria-expanded=${!isOpen}]`);
  // Opening makes more rows; a few rounds are enough for what a person reads.
  for (let round = 0; round < 12; round += 1) {
    const found = [...rows()].slice(0, 500);
    if (found.length === 0) return;
    for (const row of found) row.toggle(isOpen);
  }
}
