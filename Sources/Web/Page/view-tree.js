// The tree by host and path, with counts, errors and bytes in each folder.

import { json } from './api.js';
import { el, setText } from './dom.js';
import { bytes, count, filterValue, time } from './format.js';
import { moveByKey } from './json-tree.js';
import { state } from './state.js';

const USE = 'Enter or a double click lists only these exchanges.';

export function fillTree(view) {
  const tree = el('ul', { class: 'branches', role: 'tree', 'aria-label': 'Hosts and paths' });
  tree.addEventListener('keydown', (event) => (event.key === 'Enter' ? choose(event) : moveByKey(event)));
  tree.addEventListener('dblclick', (event) => choose(event));
  tree.addEventListener('click', (event) => click(event));
  const remark = el('p', { class: 'dim' }, USE);
  view.append(remark, el('div', { class: 'branch-heads', 'aria-hidden': 'true' }, ['Name', 'Exchanges', 'Errors', 'Bytes', 'Newest'].map((text) => el('span', {}, text))), tree);
  const read = () => fillBranches(tree, {}, null).then(() => {
    const first = tree.firstChild;
    setText(remark, first ? USE : state.filter ? 'No exchange passes the filter.' : 'Nothing is recorded yet.');
    if (!first) return;
    first.tabIndex = 0;
    if (document.activeElement === view) first.focus();
  });
  const again = () => (view.isConnected ? read() : state.removeEventListener('filter', again));
  state.on('filter', again);
  read();
}

async function fillBranches(list, query, parent) {
  try {
    const { branches, others } = await json('/branches', { query: { filter: state.filter, ...query } });
    const items = branches.map((branch) => item(branch, query, parent));
    if (others?.count) items.push(el('li', { role: 'treeitem', tabIndex: -1 }, line({ ...others, name: 'others' })));
    list.replaceChildren(...items);
  } catch (problem) {
    // There is no store yet.
    if (problem.status === 503) return list.replaceChildren();
    list.replaceChildren(el('li', { role: 'treeitem', class: 'bad', tabIndex: -1 }, problem.message));
  }
}

function item(branch, query) {
  const row = el('li', { role: 'treeitem', tabIndex: -1 }, line(branch));
  const folder = query.folder ?? '/';
  if (branch.kind === 'server') row.place = { server: branch.name, folder: '/' };
  else row.place = { server: query.server, folder: joined(folder, branch.name), isPath: branch.kind === 'path' };
  if (branch.kind === 'path') return row;
  row.setAttribute('aria-expanded', 'false');
  const group = el('ul', { role: 'group', hidden: true });
  row.append(group);
  row.toggle = (isOpen = group.hidden) => {
    group.hidden = !isOpen;
    row.setAttribute('aria-expanded', String(isOpen));
    if (isOpen && !group.firstChild) fillBranches(group, { server: row.place.server, folder: row.place.folder }, row);
  };
  return row;
}

/// Names may come whole or relative to their folder.
function joined(folder, name) {
  return name.startsWith('/') ? name : folder + name;
}

function line(branch) {
  return el('div', { class: 'line' }, el('span', { class: 'name' }, branch.name || '/'), el('span', {}, count(branch.count)),
    el('span', { class: branch.errors ? 'bad' : 'dim' }, branch.errors ? `✕ ${count(branch.errors)}` : '0'),
    el('span', {}, bytes(branch.bytes ?? 0)), el('span', { class: 'dim' }, time(branch.last_started_at)));
}

function click(event) {
  const row = event.target.closest('[role=treeitem]');
  if (!row) return;
  for (const other of event.currentTarget.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
  if (event.detail === 1) row.toggle?.();
}

function choose(event) {
  const row = event.target.closest('[role=treeitem]');
  if (!row?.place) return;
  event.preventDefault();
  event.stopPropagation();
  const { server, folder, isPath } = row.place;
  const url = /^(\w+):\/\/(.*?)(?::(\d+))?$/.exec(server);
  const conditions = url ? [`scheme=${url[1]}`, `host=${filterValue(url[2])}`] : [`host=${filterValue(server)}`];
  if (url?.[3]) conditions.push(`port=${url[3]}`);
  if (isPath) conditions.push(`path=${filterValue(folder)}`);
  else if (folder !== '/') conditions.push(`path~${filterValue(`^${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)}`);
  state.narrow(conditions.join(' '));
  state.set('view', 'list');
}
