// What the panel for files says about a file: its name, and what became of it.

import { button, el } from './dom.js';
import { bytes, counted, filterValue } from './format.js';
import { icon } from './icons.js';
import { importProblem } from './import-problems.js';

const REMARKS_SHOWN = 5;

export function fileLine(file, name = 'li') {
  return el(name, { class: 'import-file' }, icon('note'), el('b', {}, file.name), el('span', { class: 'dim' }, bytes(file.size)));
}

/// What became of an import: what the server answered, or the problem.
export function outcome({ file, answer, problem }) {
  if (problem) {
    const { title, text, next } = importProblem(problem, file);
    return message('error', `${title}: ${file.name}`, text, next);
  }
  const { imported, refused, remarks } = answer;
  const title = `${counted(imported, 'exchange')} imported from ${file.name}`;
  const text = refused ? `${counted(refused, 'exchange')} ${refused === 1 ? 'was' : 'were'} refused${remarks.length ? ':' : '.'}` : '';
  return message(imported ? 'check' : 'error', title, text, remarkList(remarks));
}

/// `sign` is `check` or `error`; `next` has elements below the text.
export function message(sign, title, text, next = []) {
  const words = el('div', {}, el('b', {}, title), text ? el('p', { class: 'dim' }, text) : null, next);
  return el('section', { class: `message ${sign}`, role: sign === 'error' ? 'alert' : 'status' }, icon(sign), words);
}

/// The first remarks, and a button for the others.
export function remarkList(remarks) {
  if (remarks.length === 0) return [];
  const lines = (part) => part.map((text) => el('li', {}, text));
  const list = el('ul', { class: 'remarks' }, lines(remarks.slice(0, REMARKS_SHOWN)));
  const rest = remarks.slice(REMARKS_SHOWN);
  if (rest.length === 0) return [list];
  const more = button(`Show ${rest.length} more`, () => more.parentElement.replaceWith(...lines(rest)), { class: 'quiet' });
  list.append(el('li', {}, more));
  return [list];
}

/// The filter that finds what was imported.
export function importedFilter(answers) {
  const parts = answers.map(({ first, last }) => (first === last ? `id=${filterValue(first)}` : `id>=${filterValue(first)} id<=${filterValue(last)}`));
  return parts.length === 1 ? parts[0] : parts.map((part) => `(${part})`).join(' or ');
}
