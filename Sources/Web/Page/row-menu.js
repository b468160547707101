// The menu of an exchange: everything that can be done with it.

import { editNote, editTags, togglePin } from './annotations.js';
import { copyItems } from './copy-menu.js';
import { deleteExchanges } from './delete-exchanges.js';
import { compareMarked } from './diff-view.js';
import { editAndSend, replay } from './send-actions.js';
import { filterValue } from './format.js';
import { KEYS } from './key-table.js';
import { openMenu } from './menu.js';
import { breakOn, openRuleForm } from './rule-actions.js';
import { state } from './state.js';

const keyOf = (name) => KEYS.find((entry) => entry.name === name).keys[0];

/// Opens the menu of a row or an exchange.
export function rowMenu(row, place) {
  openMenu(`Exchange ${row.id}`, rowItems(row), place);
}

/// What the buttons of a row do.
export function runRowTool(name, row) {
  if (name === 'replay') replay(row.id);
  else if (name === 'edit') editAndSend(row);
  else breakOn(row);
}

/// The items of the menu; those that an interface without changes lacks are left out.
export function rowItems(row) {
  const canChange = state.status?.read_only !== true;
  const groups = [
    canChange ? sendItems(row) : [],
    canChange ? ruleItems(row) : [],
    filterItems(row),
    [...(canChange ? noteItems(row) : []), ...markItems(row)],
    [{ text: 'Copy as', icon: 'copy', items: () => copyItems(row) }],
    canChange ? [deleteItem(row)] : [],
  ];
  return groups.filter((group) => group.length).flatMap((group, index) => (index ? [null, ...group] : group));
}

function sendItems(row) {
  return [
    { text: 'Replay', icon: 'replay', key: keyOf('replay'), run: () => replay(row.id) },
    { text: 'Edit and send…', icon: 'edit', key: keyOf('edit'), run: () => editAndSend(row) },
  ];
}

function ruleItems(row) {
  const form = (kind) => () => openRuleForm(kind, row);
  return [
    { text: 'Break on this', icon: 'break', key: keyOf('breakOn'), run: () => breakOn(row) },
    { text: 'Map to a file…', icon: 'map', key: keyOf('map'), run: form('map'), isDisabled: !row.response_body_bytes },
    { text: 'Mock…', icon: 'mock', run: form('mock') },
    { text: 'Block…', icon: 'block', run: form('block') },
    { text: 'Throttle…', icon: 'throttle', run: form('throttle') },
    { text: 'Rewrite…', icon: 'rewrite', run: form('rewrite') },
    { text: 'Another rule…', icon: 'rules', key: keyOf('rule'), run: form('any') },
  ];
}

function filterItems(row) {
  const narrow = (condition) => () => state.narrow(condition);
  const items = [];
  if (row.host) {
    items.push({ text: 'Only this host', icon: 'filter', note: row.host, key: keyOf('onlyHost'), run: narrow(`host=${filterValue(row.host)}`) });
    items.push({ text: 'Hide this host', key: keyOf('otherHosts'), run: narrow(`host!=${filterValue(row.host)}`) });
  }
  if (row.path) items.push({ text: 'Only this path', key: keyOf('onlyPath'), run: narrow(`path=${filterValue(row.path)}`) });
  if (row.status !== null) {
    items.push({ text: 'Only this status', note: String(row.status), key: keyOf('onlyStatus'), run: narrow(`status=${row.status}`) });
    items.push({ text: 'Hide this status', key: keyOf('otherStatuses'), run: narrow(`status!=${row.status}`) });
  }
  return items;
}

function noteItems(row) {
  return [
    { text: row.pinned ? 'Unpin' : 'Pin', icon: 'pin', key: keyOf('pin'), run: () => togglePin(row) },
    { text: 'Note…', key: keyOf('note'), run: () => editNote(row) },
    { text: 'Tags…', icon: 'tag', key: keyOf('tags'), run: () => editTags(row) },
  ];
}

function markItems(row) {
  const isMarked = state.marks.has(row.id);
  const others = [...state.marks].filter((id) => id !== row.id);
  return [
    { text: isMarked ? 'Unmark' : 'Mark', key: keyOf('mark'), run: () => state.toggleMark(row.id) },
    { text: 'Compare with marked', icon: 'compare', key: keyOf('compare'), isDisabled: others.length === 0 || others.length > 1, run: () => compareMarked(row) },
  ];
}

function deleteItem(row) {
  const isOfMany = state.marks.has(row.id) && state.marks.size > 1;
  return {
    text: isOfMany ? `Delete ${state.marks.size} marked…` : 'Delete…', icon: 'trash', key: keyOf('deleteRow'), isDangerous: true,
    isDisabled: row.pinned && !isOfMany, run: () => deleteExchanges(row),
  };
}
