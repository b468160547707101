// Edits the whole file of the rules, with a check while it is typed.

import { json } from './api.js';
import { field, openDialog } from './dialog.js';
import { button, el, setText, settled } from './dom.js';
import { count, counted } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { testRule } from './rule-requests.js';
import { state } from './state.js';

/// Opens the editor; the caret is where a mistake names a line.
export async function editFile(mistake = '') {
  let before;
  try {
    ({ text: before } = await json('/rules/file'));
  } catch (problem) {
    return notifyProblem(problem);
  }
  const input = el('textarea', { rows: 20, spellcheck: false, value: before, on: { input: settled(() => tryOut(), 300) } });
  const result = el('p', { class: 'dim', role: 'status' });
  const problem = el('div', { class: 'bad rules-mistakes', role: 'alert' });
  const refuse = (text) => problem.replaceChildren(...text.split(/\n|; (?=\S+:\d+: )/).map((line) => mistakeLine(line, input)));
  const tryOut = async () => {
    try {
      const found = await testRule({ text: input.value });
      setText(result, `They would match ${count(found.matched)} of the ${counted(found.examined, 'recorded exchange')}.`);
      problem.replaceChildren();
    } catch (error) {
      setText(result, '');
      refuse(error.message);
    }
  };
  const save = async () => {
    try {
      const set = await json('/rules/file', { method: 'PUT', body: { text: input.value, before } });
      dialog.close();
      notify('Rules saved', { undo: () => restore(input.value, before) });
      state.tell('rules', set);
    } catch (error) {
      refuse(error.message);
    }
  };
  const dialog = openDialog('Edit rules', [field('rules.toml', input), result, problem], [button('Save', save, { class: 'primary', title: 'Control and Enter' })], {
    isWide: true, hasDraft: () => input.value !== before,
  });
  dialog.element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  });
  goToLine(input, lineOf(mistake));
  tryOut();
}

/// A mistake; choosing it goes to its line.
function mistakeLine(text, input) {
  const line = lineOf(text);
  return line ? button(text, () => goToLine(input, line), { class: 'quiet', title: `Go to line ${line}` }) : el('p', {}, text);
}

function lineOf(text) {
  return Number(/:(\d+):/.exec(text)?.[1] ?? 0);
}

/// Selects a line, counted from 1, and scrolls to it.
function goToLine(input, number) {
  if (!number) return;
  const lines = input.value.split('\n');
  const start = lines.slice(0, number - 1).join('\n').length + (number > 1 ? 1 : 0);
  input.focus();
  input.setSelectionRange(start, start + (lines[number - 1]?.length ?? 0));
  input.scrollTop = (input.scrollHeight * Math.max(0, number - 4)) / lines.length;
}

async function restore(now, before) {
  try {
    state.tell('rules', await json('/rules/file', { method: 'PUT', body: { text: before, before: now } }));
  } catch (problem) {
    notifyProblem(problem);
  }
}
