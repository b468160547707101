// Exports the marked exchanges, or those that pass the filter.

import { blob } from './api.js';
import { field, openDialog } from './dialog.js';
import { button, el, saveBlob } from './dom.js';
import { counted } from './format.js';
import { notifyProblem } from './notices.js';
import { state } from './state.js';

const FORMATS = [
  ['har', 'HAR'], ['curl', 'curl commands'], ['jsonl', 'JSON lines'], ['openapi', 'OpenAPI'],
  ['postman', 'Postman'], ['k6', 'k6'],
];
const ENDINGS = {
  har: 'har', curl: 'sh', jsonl: 'jsonl', openapi: 'openapi.json',
  postman: 'postman_collection.json', k6: 'k6.js',
};

export function openExport() {
  const format = el('select', {}, FORMATS.map(([value, title]) => el('option', { value }, title)));
  const redact = el('input', { type: 'checkbox', checked: true });
  const what = state.marks.size
    ? `${counted(state.marks.size, 'marked exchange')} will be exported.`
    : state.filter ? `All exchanges that pass the filter will be exported: ${state.filter}` : 'All exchanges will be exported.';
  const save = button('Export', () => run(), { class: 'primary' });
  const dialog = openDialog('Export', [
    el('p', {}, what), field('Format', format), el('label', {}, redact, ' Remove credentials'),
  ], [save]);

  async function run() {
    save.disabled = true;
    const ids = [...state.marks].join(',') || undefined;
    const query = { format: format.value, redact: redact.checked, ids, filter: ids ? undefined : state.filter };
    try {
      saveBlob(await blob('/export', { query }), `exchanges.${ENDINGS[format.value]}`);
      dialog.close();
    } catch (problem) {
      notifyProblem(problem);
      save.disabled = false;
    }
  }
}
