// From an exchange to a rule: at once, or by a form.

import { exchangePath, json } from './api.js';
import { notify, notifyProblem } from './notices.js';
import { filterLike } from './rule-filter.js';
import { addRule, readRules, removeRule } from './rule-requests.js';
import { state } from './state.js';

/// Holds what is like an exchange from now on, until proxyd ends, or no more if it is held already.
export async function breakOn(row, filter = filterLike(row)) {
  try {
    const { rules } = await readRules();
    const held = rules.find((rule) => rule.temporary && rule.when === filter && rule.does?.includes('hold = true'));
    if (held) return await letPass(held, filter);
    const { name } = await addRule({ name: breakName(row, filter, rules), filter, request: ['hold'], temporary: true });
    await json('/holds/take', { method: 'POST', body: { on: true } });
    state.tell('awaitHold');
    const undo = () => removeRule(name, true).catch(notifyProblem);
    notify(`Requests like this one are held: ${filter}`, { undo });
  } catch (problem) {
    notifyProblem(problem);
  }
}

/// The name that the terminal interface gives such a rule, so that either ends what the other began;
/// none if the filter is another one.
function breakName(row, filter, rules) {
  if (filter !== filterLike(row)) return undefined;
  const name = `break on ${row.method} ${row.path}`;
  const isTaken = rules.some((rule) => rule.name === name && rule.when !== filter);
  return isTaken ? `${name} at ${row.host}` : name;
}

async function letPass(rule, filter) {
  await removeRule(rule.name, true);
  notify(`Requests like this one pass again: ${filter}`);
}

/// Opens the form of a kind of rule. What a row lacks, such as the body, is read first.
export async function openRuleForm(kind, row = null, given = {}) {
  try {
    const [{ RuleForm }, exchange] = await Promise.all([import('./rule-form.js'), withBodies(row)]);
    new RuleForm(kind, exchange, { filter: row ? filterLike(row) : '', ...given });
  } catch (problem) {
    notifyProblem(problem);
  }
}

function withBodies(row) {
  return row && !row.request ? json(exchangePath(row.id)) : row;
}
