// A JSON value as a tree that folds. Folded parts have no elements, so that large values open
// immediately.

import { copyText } from './clipboard.js';
import { button, el } from './dom.js';
import { writeJSON } from './json-text.js';
import { markedText } from './lines.js';

const ITEMS_SHOWN = 200;
const OPEN_ITEMS_MAX = 40;
const OPEN_DEPTH = 4;

/// The tree of a node that `readJSON` made. What `pattern` finds is marked, and the first of it is
/// unfolded.
export function jsonTree(node, { label = 'JSON', pattern = null } = {}) {
  const list = el('ul', { class: 'json', role: 'tree', 'aria-label': label, on: { keydown: pressed } });
  const path = pattern ? (pathTo(node, pattern) ?? []) : [];
  list.append(item(null, node, 0, { pattern, path }));
  list.firstChild.tabIndex = 0;
  list.addEventListener('click', (event) => {
    const row = event.target.closest('[role=treeitem]');
    if (!row || event.target.closest('button') || event.target.closest('ul') !== row.parentElement) return;
    focusItem(list, row);
    if (getSelection().isCollapsed) row.toggle?.();
  });
  offerCopy(list);
  return list;
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

/// One button that goes to the value under the pointer: a button for each would make large trees
/// heavy.
function offerCopy(list) {
  const copy = button('Copy', () => copyItem(copy.closest('[role=treeitem]')), {
    class: 'copy', tabIndex: -1, 'aria-label': 'Copy the value (c)', on: { mousedown: (event) => event.preventDefault() },
  });
  list.addEventListener('pointerover', ({ target }) => {
    const line = target.closest('.line');
    if (line && copy.parentElement !== line && line.parentElement.node) line.append(copy);
  });
  list.addEventListener('pointerleave', () => copy.remove());
}

function copyItem(row) {
  const { node } = row;
  copyText(node.kind === 'string' ? node.text : writeJSON(node), 'Copied the value');
}

function pressed(event) {
  const row = document.activeElement;
  if (event.key !== 'c' || event.ctrlKey || event.altKey || event.metaKey || !row.node) return moveByKey(event);
  event.preventDefault();
  event.stopPropagation();
  copyItem(row);
}

function item(name, node, depth, sought) {
  const row = el('li', { role: 'treeitem', tabIndex: -1 });
  const line = el('div', { class: 'line' });
  if (name !== null) line.append(el('span', { class: 'role-key' }, markedText(name, sought.pattern)), ': ');
  row.node = node;
  row.append(line);
  if (node.items) foldable(row, line, node, depth, sought);
  else line.append(leaf(node, sought.pattern));
  return row;
}

function leaf(node, pattern) {
  const roles = { string: 'role-string', number: 'role-number', word: 'role-keyword' };
  const text = markedText(node.text, pattern);
  return el('span', { class: roles[node.kind] }, node.kind === 'string' ? ['"', ...text, '"'] : text);
}

function foldable(row, line, node, depth, sought) {
  const count = node.items.length;
  const noun = node.kind === 'object' ? ['{', '}'] : ['[', ']'];
  const short = count === 0 ? noun.join('') : `${noun[0]}…${noun[1]}`;
  line.append(el('span', { class: 'role-punctuation' }, short), el('span', { class: 'dim size' }, count ? ` ${count}` : ''));
  if (count === 0) return;
  const group = el('ul', { role: 'group', hidden: true });
  row.append(group);
  row.setAttribute('aria-expanded', 'false');
  row.toggle = (isOpen = group.hidden) => {
    if (isOpen && !group.firstChild) addItems(group, node, depth, 0, sought);
    group.hidden = !isOpen;
    row.setAttribute('aria-expanded', String(isOpen));
  };
  const isOpen = depth < OPEN_DEPTH && (count <= OPEN_ITEMS_MAX || depth === 0);
  if (isOpen || sought.path.includes(node)) row.toggle(true);
}

function addItems(group, node, depth, from, sought) {
  const found = node.items.findIndex((one) => sought.path.includes(one.node));
  const part = node.items.slice(from, Math.max(from + ITEMS_SHOWN, found + 1));
  group.append(...part.map(({ name, node: child }) => item(name, child, depth + 1, sought)));
  const rest = node.items.length - from - part.length;
  if (rest <= 0) return;
  const more = el('li', { role: 'treeitem', tabIndex: -1 }, el('div', { class: 'line accent' }, `${rest} more…`));
  more.toggle = () => {
    more.remove();
    addItems(group, node, depth, from + part.length, sought);
  };
  group.append(more);
}

/// Shows or hides everything below a tree.
export function foldAll(tree, isOpen) {
  const rows = isOpen ? () => tree.querySelectorAll('[aria-expanded=false]') : () => tree.querySelectorAll('[role=group] [aria-expanded=true]');
  // Opening makes more rows; a few rounds are enough for what a person reads.
  for (let round = 0; round < 12; round += 1) {
    const found = [...rows()].slice(0, 500);
    if (found.length === 0) return;
    for (const row of found) row.toggle(isOpen);
  }
}

function focusItem(list, row) {
  for (const other of list.querySelectorAll('[role=treeitem][tabindex="0"]')) other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

/// Arrow keys as in any tree: they move among visible rows, unfold and fold.
export function moveByKey(event) {
  const row = document.activeElement;
  if (row.getAttribute('role') !== 'treeitem') return;
  const list = event.currentTarget;
  const rows = [...list.querySelectorAll('[role=treeitem]')].filter((one) => !one.closest('ul[hidden]'));
  const at = rows.indexOf(row);
  const isOpen = row.getAttribute('aria-expanded');
  const moves = {
    ArrowDown: () => rows[at + 1], ArrowUp: () => rows[at - 1], Home: () => rows[0], End: () => rows.at(-1),
    ArrowRight: () => (isOpen === 'true' ? rows[at + 1] : void row.toggle?.(true)),
    ArrowLeft: () => (isOpen === 'true' ? void row.toggle?.(false) : row.parentElement.closest('[role=treeitem]')),
    ' ': () => void row.toggle?.(),
  };
  if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const next = moves[event.key]();
  if (next) focusItem(list, next);
}
