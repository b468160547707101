// Two exchanges side by side, and what differs.

import { json } from './api.js';
import { openDialog } from './dialog.js';
import { button, el, setText } from './dom.js';
import { spanElements } from './lines.js';
import { notify } from './notices.js';
import { state } from './state.js';

const SIGNS = { same: '', added: '+', removed: '−', changed: '≠', section: '' };
const WORDS = { same: 'equal', added: 'only right', removed: 'only left', changed: 'differs' };

/// Compares the two marked exchanges, or the marked one with the selected one.
export function compareMarked(row) {
  const ids = [...state.marks];
  if (ids.length === 1 && row && row.id !== ids[0]) ids.push(row.id);
  if (ids.length === 0 && row?.replay_of) ids.push(String(row.replay_of), row.id);
  if (ids.length !== 2) return notify('Mark two exchanges to compare them (m marks the selected one).');
  ids.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  openDiff(ids[0], ids[1]);
}

export function openDiff(left, right) {
  new Diff(left, right).read();
}

class Diff {
  #lines = [];
  #at = -1;

  constructor(left, right) {
    Object.assign(this, { left, right });
    this.body = el('tbody', {});
    this.heads = el('tr', {});
    this.all = el('input', { type: 'checkbox', on: { change: () => this.#draw() } });
    this.remark = el('span', { class: 'dim grow', role: 'status' });
    const table = el('table', { class: 'diff', 'aria-label': 'Differences' }, el('thead', {}, this.heads), this.body);
    const place = el('div', { class: 'diff-place', tabIndex: 0, role: 'group', 'aria-label': 'Lines' }, table);
    this.dialog = openDialog('Compare', [
      el('div', { class: 'body-bar' }, button('Previous difference', () => this.#go(-1)), button('Next difference', () => this.#go(1)),
        button('Swap', () => this.#swap()), el('label', {}, this.all, ' Show equal lines'), this.remark), place,
    ], [], { isWide: true });
    this.dialog.element.classList.add('full');
  }

  async read() {
    this.heads.replaceChildren(el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'Kind')),
      el('th', { scope: 'col' }, `Exchange ${this.left}`), el('th', { scope: 'col' }, `Exchange ${this.right}`));
    try {
      const { sections } = await json('/diff', { query: { left: this.left, right: this.right } });
      this.#lines = sections.flatMap(sectionLines);
      this.#draw();
    } catch (problem) {
      setText(this.remark, problem.message);
    }
  }

  #draw() {
    this.#at = -1;
    const shown = this.#lines.filter((line) => this.all.checked || line.kind !== 'same');
    this.body.replaceChildren(...shown.map((line) => lineRow(line)));
    const count = this.#lines.filter((line) => !['same', 'section'].includes(line.kind)).length;
    this.remark.textContent = count === 0 ? 'No difference' : `${count} ${count === 1 ? 'line differs' : 'lines differ'}`;
  }

  #swap() {
    [this.left, this.right] = [this.right, this.left];
    this.read();
  }

  #go(step) {
    const rows = [...this.body.querySelectorAll('.added, .removed, .changed')];
    if (rows.length === 0) return;
    rows[this.#at]?.classList.remove('current');
    this.#at = (this.#at + step + rows.length + (this.#at < 0 && step < 0 ? 1 : 0)) % rows.length;
    rows[this.#at].classList.add('current');
    rows[this.#at].scrollIntoView({ block: 'center' });
  }
}

/// The lines of a section below its title, each with what it is on either side.
function sectionLines(section) {
  const lines = [];
  for (const { kind, spans } of section.lines) {
    const pair = kind === 'added' ? lines.find((line) => line.waits) : null;
    if (!['added', 'removed'].includes(kind)) lines.forEach(endWaiting);
    if (pair) Object.assign(pair, { kind: 'changed', right: spans, waits: false });
    else if (kind === 'heading') lines.push({ kind: 'section', left: spans });
    else lines.push({ kind, left: kind === 'added' ? [] : spans, right: kind === 'removed' ? [] : spans, waits: kind === 'removed' });
  }
  const isEqual = lines.every((line) => ['same', 'section'].includes(line.kind));
  const title = [{ text: section.title, role: 'heading' }, ...(isEqual ? [{ text: '  no difference', role: 'dim' }] : [])];
  return [{ kind: 'section', left: title }, ...lines.filter((line) => line.kind !== 'section' || line.left.length)];
}

/// A removed line waits to be paired with an added one, until the next equal line.
function endWaiting(line) {
  line.waits = false;
}

function lineRow(line) {
  if (line.kind === 'section') {
    return el('tr', { class: 'section-row' }, el('th', { scope: 'colgroup', colSpan: 3 }, spanElements(line.left?.length ? line.left : line.right)));
  }
  const sign = el('td', { class: 'sign' }, SIGNS[line.kind] ?? '', el('span', { class: 'unseen' }, WORDS[line.kind] ?? ''));
  return el('tr', { class: line.kind }, sign, el('td', { class: 'left' }, spanElements(line.left)), el('td', { class: 'right' }, spanElements(line.right)));
}
