// Exports the marked exchanges, those that pass the filter, or all.

import { json, send } from './api.js';
import { field, openDialog } from './dialog.js';
import { button, el, saveBlob, setText } from './dom.js';
import { bytes, count } from './format.js';
import { recall, remember } from './memory.js';
import { state } from './state.js';

const FORMATS = [
  ['har', 'HAR', 'har'], ['curl', 'curl commands', 'sh'], ['jsonl', 'JSON lines', 'jsonl'],
  ['openapi', 'OpenAPI', 'openapi.json'], ['postman', 'Postman', 'postman_collection.json'], ['k6', 'k6', 'k6.js'],
];
/// What has arrived is handed to the browser in parts of this size, which may keep them on disk.
const PART = 8_000_000;

export function openExport() {
  const format = el('select', { on: { change: () => remember('export-format', format.value) } },
    FORMATS.map(([value, title]) => el('option', { value }, title)));
  format.value = recall('export-format', 'har');
  const scope = scopeChoice();
  const redaction = redactionSwitch();
  const status = el('p', { class: 'export-status', role: 'status' });
  const bar = el('progress', { hidden: true, 'aria-label': 'Exporting' });
  const save = button('Export', () => run(), { class: 'primary' });
  const cancel = button('Cancel', () => dialog.close());
  let running = null;
  const dialog = openDialog('Export', [scope.element, field('Format', format), redaction.element, bar, status], [cancel, save], {
    closed: () => running?.abort(),
  });
  save.focus();

  async function run() {
    running = new AbortController();
    save.disabled = true;
    bar.hidden = false;
    status.classList.remove('bad');
    setText(status, 'Waiting for the server…');
    const [name, , ending] = FORMATS.find(([value]) => value === format.value);
    try {
      const received = (size) => setText(status, `${bytes(size)} received`);
      saveBlob(await download({ format: name, redact: redaction.input.checked, ...scope.query() }, received, running.signal), `exchanges.${ending}`);
      dialog.close();
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      status.classList.add('bad');
      setText(status, problem.message);
    }
    running = null;
    bar.hidden = true;
    save.disabled = false;
  }
}

/// Whether credentials are removed; the choice is remembered.
function redactionSwitch() {
  const input = el('input', { type: 'checkbox', role: 'switch', checked: recall('redact', true), on: { change: () => remember('redact', input.checked) } });
  return { input, element: el('label', { class: 'redaction' }, input, ' Remove credentials') };
}

/// Which exchanges: those that are marked come first, then what the filter shows.
function scopeChoice() {
  const choices = [
    ['marked', 'Marked', state.marks.size > 0, () => ({ ids: [...state.marks].join(',') })],
    ['filter', 'What the filter shows', state.filter !== '', () => ({ filter: state.filter })],
    ['all', 'All', true, () => ({})],
  ].filter(([, , isThere]) => isThere);
  const numbers = { marked: count(state.marks.size), all: state.status?.exchanges === null ? '' : count(state.status?.exchanges) };
  const lines = choices.map(([value, title], place) => {
    const input = el('input', { type: 'radio', name: 'export-scope', value, checked: place === 0 });
    const number = el('span', { class: 'amount dim' }, numbers[value] ?? '');
    const words = el('span', {}, title, value === 'filter' ? el('code', { class: 'dim' }, state.filter) : null);
    return { value, input, number, element: el('label', { class: 'scope-choice' }, input, words, number) };
  });
  const filtered = lines.find(({ value }) => value === 'filter');
  if (filtered) countInto(filtered.number);
  const element = el('fieldset', { class: 'scope' }, el('legend', {}, 'Exchanges'), lines.map((one) => one.element));
  const chosen = () => choices.find(([value]) => value === lines.find(({ input }) => input.checked).value);
  return { element, query: () => chosen()[3]() };
}

async function countInto(place) {
  try {
    const found = await json('/count', { query: { filter: state.filter } });
    setText(place, count(found.count));
  } catch {
    // The number is no condition for an export.
  }
}

/// Reads a file, and calls `received(bytes)` as it arrives.
async function download(query, received, signal) {
  const response = await send('/export', { query, signal });
  const parts = [];
  let [pending, size, waiting] = [[], 0, 0];
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pending.push(read.value);
    size += read.value.length;
    waiting += read.value.length;
    received(size);
    if (waiting < PART) continue;
    parts.push(new Blob(pending));
    [pending, waiting] = [[], 0];
  }
  return new Blob([...parts, ...pending]);
}
