// Two exchanges side by side, and what differs.

import { json } from './api.js';
import { openDialog } from './dialog.js';
import { button, el, setText } from './dom.js';
import { counted } from './format.js';
import { iconButton } from './icons.js';
import { spanElements } from './lines.js';
import { notify } from './notices.js';
import { state } from './state.js';

const SIGNS = { same: '', added: '+', removed: '−', changed: '≠', section: '' };
const CONTEXT = 2;
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
  #sections = [];
  #at = -1;

  constructor(left, right) {
    Object.assign(this, { left, right });
    this.all = el('input', { type: 'checkbox', role: 'switch', on: { change: () => this.#draw() } });
    this.remark = el('span', { class: 'dim grow', role: 'status' });
    this.place = el('div', { class: 'diff-place', tabIndex: 0, role: 'group', 'aria-label': 'Lines' });
    this.dialog = openDialog('Compare', [
      el('div', { class: 'body-bar' }, this.remark, el('label', { class: 'switch' }, this.all, ' Equal lines'),
        button('Swap', () => this.#swap(), { title: 'Swap the two (x)' }),
        iconButton('chevron-up', 'Previous difference', () => this.#go(-1), { title: 'Previous difference (N)' }),
        iconButton('chevron-down', 'Next difference', () => this.#go(1), { title: 'Next difference (n)' })), this.place,
    ], [], { isWide: true });
    this.dialog.element.classList.add('full');
    this.dialog.element.addEventListener('keydown', (event) => this.#pressed(event));
  }

  async read() {
    try {
      this.#sections = (await json('/diff', { query: { left: this.left, right: this.right } })).sections;
      this.#draw();
    } catch (problem) {
      setText(this.remark, problem.message);
    }
  }

  #draw() {
    this.#at = -1;
    this.place.replaceChildren(differenceTable(this.#sections, {
      showsEqual: this.all.checked, heads: [`Exchange ${this.left}`, `Exchange ${this.right}`],
    }));
    const count = this.#rows().length;
    this.remark.textContent = count === 0 ? 'No difference' : `${count} ${count === 1 ? 'line differs' : 'lines differ'}`;
  }

  #swap() {
    [this.left, this.right] = [this.right, this.left];
    this.read();
  }

  #rows() {
    return [...this.place.querySelectorAll('.added, .removed, .changed')];
  }

  #go(step) {
    const rows = this.#rows();
    if (rows.length === 0) return;
    rows[this.#at]?.removeAttribute('aria-current');
    this.#at = (this.#at + step + rows.length + (this.#at < 0 && step < 0 ? 1 : 0)) % rows.length;
    rows[this.#at].setAttribute('aria-current', 'true');
    rows[this.#at].scrollIntoView({ block: 'center' });
  }

  /// The keys of the terminal.
  #pressed(event) {
    const run = { n: () => this.#go(1), N: () => this.#go(-1), x: () => this.#swap(), a: () => this.all.click() }[event.key];
    if (!run || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    run();
  }
}

/// Both sides of a comparison as a table. Without `showsEqual`, equal lines are left out unless they
/// are next to a difference.
export function differenceTable(sections, { showsEqual = false, heads = ['Original', 'New'] } = {}) {
  const lines = sections.flatMap(sectionLines);
  const cells = heads.map((text) => el('th', { scope: 'col' }, text));
  return el('table', { class: 'diff', 'aria-label': 'Differences' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'Kind')), cells)),
    el('tbody', {}, (showsEqual ? lines : nearDifferences(lines)).map(lineRow)));
}

function differs({ kind }) {
  return ['added', 'removed', 'changed'].includes(kind);
}

/// Leaves out equal lines that are far from a difference; a line says how many.
function nearDifferences(lines) {
  const isNear = (index) => lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(differs);
  const shown = [];
  lines.forEach((line, index) => {
    const last = shown.at(-1);
    if (line.kind !== 'same' || isNear(index)) shown.push(line);
    else if (last?.leftOut) last.leftOut.push(line);
    else shown.push({ leftOut: [line] });
  });
  // One line takes no more room than its number.
  return shown.map((line) => (line.leftOut?.length === 1 ? line.leftOut[0] : line));
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
  if (line.leftOut) return el('tr', { class: 'left-out' }, el('td', { class: 'sign' }), el('td', { colSpan: 2 }, counted(line.leftOut.length, 'equal line')));
  if (line.kind === 'section') {
    return el('tr', { class: 'section-row' }, el('th', { scope: 'colgroup', colSpan: 3 }, spanElements(line.left?.length ? line.left : line.right)));
  }
  const sign = el('td', { class: 'sign' }, SIGNS[line.kind] ?? '', el('span', { class: 'unseen' }, WORDS[line.kind] ?? ''));
  return el('tr', { class: line.kind }, sign, el('td', { class: 'diff-left' }, spanElements(line.left)), el('td', { class: 'diff-right' }, spanElements(line.right)));
}
