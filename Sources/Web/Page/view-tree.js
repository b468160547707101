// The tree by host and path, with counts, errors and bytes in each folder.

import { json } from './api.js';
import { button, el, setText } from './dom.js';
import { listMessage } from './first-steps.js';
import { bytes, count, counted, dateTime, filterValue } from './format.js';
import { icon } from './icons.js';
import { state } from './state.js';
import { focusItem, moveByKey } from './tree-keys.js';

const HEADS = ['Name', 'Exchanges', 'Errors', 'Bytes', 'Newest'];
const USE = 'Enter or a double click lists only these exchanges.';

export function fillTree(view) {
  const tree = el('ul', {
    class: 'branches', role: 'tree', 'aria-label': 'Hosts and paths',
    on: { keydown: (event) => pressed(event), dblclick: (event) => choose(event), click: (event) => clicked(event) },
  });
  const heads = el('div', { class: 'branch-heads', 'aria-hidden': 'true' }, HEADS.map((text) => el('span', {}, text)));
  const remark = el('p', { class: 'remark', role: 'status' }, 'Reading…');
  const read = async () => {
    const problem = await fillBranches(tree, {}, 0);
    if (!view.isConnected) return state.removeEventListener('filter', read);
    const first = tree.firstChild;
    if (problem || !first) return view.replaceChildren(listMessage(state.status, problem, read));
    setText(remark, USE);
    if (!tree.isConnected) view.replaceChildren(heads, tree, remark);
    first.tabIndex = 0;
    if (document.activeElement === view) first.focus();
  };
  view.append(heads, tree, remark);
  state.on('filter', read);
  read();
}

/// Fills one level of the tree; returns the problem if it could not be read.
async function fillBranches(list, place, depth) {
  try {
    const { branches, others } = await json('/branches', { query: { filter: state.filter, ...place } });
    const items = branches.map((branch) => item(branch, place, depth));
    if (others?.count) items.push(el('li', { role: 'treeitem', tabIndex: -1 }, line({ ...others, name: 'others' }, depth)));
    list.replaceChildren(...items);
    return null;
  } catch (problem) {
    list.replaceChildren(el('li', { role: 'treeitem', class: 'bad', tabIndex: -1 }, problem.message));
    return problem;
  }
}

function item(branch, { server, folder = '/' }, depth) {
  const place = branch.kind === 'server'
    ? { server: branch.name, folder: '/' }
    : { server, folder: joined(folder, branch.name), isPath: branch.kind === 'path' };
  const row = el('li', { role: 'treeitem', tabIndex: -1, 'aria-label': spoken(branch) }, line(branch, depth));
  row.place = place;
  // Enter does the same, so that the button is for the pointer alone.
  const only = button([icon('filter', 12), el('span', { class: 'label' }, 'Only these')], () => list(place), { class: 'only', tabIndex: -1, 'aria-hidden': 'true' });
  row.querySelector('.name').append(only);
  if (place.isPath) return row;
  row.setAttribute('aria-expanded', 'false');
  const group = el('ul', { role: 'group', hidden: true });
  row.append(group);
  row.toggle = (isOpen = group.hidden) => {
    group.hidden = !isOpen;
    row.setAttribute('aria-expanded', String(isOpen));
    if (isOpen && !group.firstChild) fillBranches(group, { server: place.server, folder: place.folder }, depth + 1);
  };
  return row;
}

/// Names may come whole or relative to their folder.
function joined(folder, name) {
  return name.startsWith('/') ? name : folder + name;
}

function line(branch, depth) {
  const name = el('span', { class: 'name' }, el('span', { class: 'text', title: nameOf(branch) }, nameOf(branch)));
  name.style.setProperty('--depth', String(depth));
  return el('div', { class: 'line' }, name, el('span', {}, count(branch.count)),
    el('span', { class: branch.errors ? 'bad' : 'dim' }, branch.errors ? `✕ ${count(branch.errors)}` : '–'),
    el('span', {}, bytes(branch.bytes ?? 0)), el('span', { class: 'dim' }, dateTime(branch.last_started_at)));
}

function spoken(branch) {
  const errors = branch.errors ? `, ${count(branch.errors)} failed` : '';
  return `${nameOf(branch)}, ${counted(branch.count, 'exchange')}${errors}`;
}

/// The port that everybody expects says nothing.
function nameOf({ name }) {
  return name ? name.replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2') : '/';
}

function clicked(event) {
  const row = event.target.closest('[role=treeitem]');
  if (!row || event.target.closest('button')) return;
  focusItem(event.currentTarget, row);
  if (event.detail === 1) row.toggle?.();
}

function pressed(event) {
  if (event.key === 'Enter') choose(event);
  else moveByKey(event);
}

function choose(event) {
  const row = event.target.closest('[role=treeitem]');
  if (!row?.place || event.target.closest('button')) return;
  event.preventDefault();
  event.stopPropagation();
  list(row.place);
}

/// Lists only the exchanges of a branch.
function list({ server, folder, isPath }) {
  const url = /^(\w+):\/\/(.*?)(?::(\d+))?$/.exec(server);
  const conditions = url ? [`scheme=${url[1]}`, `host=${filterValue(url[2])}`] : [`host=${filterValue(server)}`];
  if (url?.[3]) conditions.push(`port=${url[3]}`);
  if (isPath) conditions.push(`path=${filterValue(folder)}`);
  else if (folder !== '/') conditions.push(`path~${filterValue(`^${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)}`);
  state.narrow(conditions.join(' '));
  state.set('view', 'list');
}
