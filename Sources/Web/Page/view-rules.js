// The rules in their order: switching them, and editing their file with a dry run.

import { json } from './api.js';
import { field, openDialog } from './dialog.js';
import { button, el, setText, settled, throttled } from './dom.js';
import { count, counted, filterValue, time } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { state } from './state.js';

export function fillRules(view) {
  const content = el('div', { class: 'rules' });
  view.append(el('h2', { class: 'unseen' }, 'Rules'), content);
  const read = async () => {
    if (!view.isConnected) return state.removeEventListener('change', readLater);
    try {
      draw(content, await json('/rules'), read);
    } catch (problem) {
      content.replaceChildren(el('p', { class: 'bad', role: 'alert' }, problem.message));
    }
  };
  const readLater = throttled(read, 2000);
  state.on('change', readLater);
  read();
}

function draw(content, set, again) {
  const focused = content.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
  const heads = ['On', 'Rule', 'Applies to', 'Matched', 'Changed', 'Failed', 'Last', ''];
  const rows = set.rules.map((rule) => ruleRow(rule, again));
  const problems = (set.problems ?? []).map((text) => el('li', {}, typeof text === 'string' ? text : text.message));
  content.replaceChildren(
    el('div', { class: 'body-bar' }, el('code', { class: 'dim grow' }, set.file ?? ''), button('Edit rules', () => editFile(again))),
    problems.length ? el('ul', { class: 'bad', role: 'alert' }, problems) : '',
    set.daemon === false ? el('p', { class: 'dim' }, 'proxyd is not running: nothing is counted.') : '',
    rows.length
      ? el('table', { class: 'plain-table', 'aria-label': 'Rules' }, el('thead', {}, el('tr', {}, heads.map(head))), el('tbody', {}, rows))
      : el('p', { class: 'dim' }, 'There are no rules.'));
  if (focused) content.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function head(text) {
  return text ? el('th', { scope: 'col' }, text) : el('td', {});
}

function ruleRow(rule, again) {
  const change = async () => {
    try {
      await json(`/rules/${encodeURIComponent(rule.name)}`, { method: 'PATCH', body: { enabled: box.checked, temporary: rule.temporary === true } });
      notify(`${rule.name} is ${box.checked ? 'on' : 'off'}`);
      again();
    } catch (problem) {
      box.checked = rule.enabled;
      notifyProblem(problem);
    }
  };
  const box = el('input', { type: 'checkbox', role: 'switch', checked: rule.enabled, 'aria-label': `Rule ${rule.name}`, on: { change } });
  const list = () => {
    state.set('filter', `rule=${filterValue(rule.name)}`);
    state.set('view', 'list');
  };
  const name = `${rule.name}${rule.temporary ? ' ~' : ''}`;
  const amount = (value, kind = '') => el('td', { class: `amount ${value ? kind : 'dim'}` }, count(value));
  return el('tr', {}, el('td', {}, box), el('th', { scope: 'row', title: rule.text ?? '' }, name, rule.group ? el('span', { class: 'dim' }, ` in ${rule.group}`) : ''),
    el('td', {}, el('code', {}, rule.when || 'everything')), amount(rule.hits), amount(rule.changed), amount(rule.failed, 'bad'),
    el('td', {}, time(rule.last_hit_at)), el('td', {}, button('Exchanges', list, { 'aria-label': `Exchanges of ${rule.name}` })));
}

async function editFile(again) {
  let before;
  try {
    ({ text: before } = await json('/rules/file'));
  } catch (problem) {
    return notifyProblem(problem);
  }
  const input = el('textarea', { rows: 20, spellcheck: false, value: before, on: { input: settled(() => tryOut(), 300) } });
  const result = el('p', { class: 'dim', role: 'status' });
  const problem = el('p', { class: 'bad', role: 'alert' });
  const tryOut = async () => {
    try {
      const found = await json('/rules/test', { method: 'POST', body: { text: input.value } });
      result.textContent = `They would match ${count(found.matched)} of the ${counted(found.examined, 'recorded exchange')}.`;
      problem.textContent = '';
    } catch (error) {
      result.textContent = '';
      setText(problem, error.message);
    }
  };
  const save = async () => {
    try {
      await json('/rules/file', { method: 'PUT', body: { text: input.value, before } });
      dialog.close();
      notify('Rules saved', { undo: () => restore(input.value, before, again) });
      again();
    } catch (error) {
      setText(problem, error.message);
    }
  };
  const dialog = openDialog('Edit rules', [field('rules.toml', input), result, problem], [button('Save', save, { class: 'primary' })], {
    isWide: true, hasDraft: () => input.value !== before,
  });
  tryOut();
}

async function restore(now, before, again) {
  try {
    await json('/rules/file', { method: 'PUT', body: { text: before, before: now } });
    again();
  } catch (problem) {
    notifyProblem(problem);
  }
}
