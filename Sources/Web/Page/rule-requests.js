// Asks the server to change rules, and tells all parts of the page what the rules are then.

import { exchangePath, json } from './api.js';
import { state } from './state.js';

/// The rules as the daemon has them.
export const readRules = () => json('/rules');

export const readRule = (name) => json(rulePath(name));

/// Checks a filter and actions, or the text of a file, and counts what would have matched.
export const testRule = (rule, signal) => json('/rules/test', { method: 'POST', body: rule, signal });

export const changeRule = (name, change) => told(json(rulePath(name), { method: 'PATCH', body: change }));

export const switchGroup = (group, enabled, temporary) => told(json('/rules', { method: 'PATCH', body: { group, enabled, temporary } }));

export const removeRule = (name, temporary) => told(json(rulePath(name), { method: 'DELETE', query: { temporary } }));

/// Adds a rule. Returns its name, and what is in force.
export async function addRule(rule) {
  const before = new Set((await readRules()).rules.map(({ name }) => name));
  const set = await told(json('/rules', { method: 'POST', body: rule }));
  return { name: set.rules.find(({ name }) => !before.has(name))?.name ?? rule.name, set };
}

/// Serves what a response brought from a file from now on.
export async function mapToFile(id, options) {
  const { notice, rules } = await json(exchangePath(id, '/map'), { method: 'POST', body: options });
  state.tell('rules', rules);
  return notice;
}

function rulePath(name) {
  return `/rules/${encodeURIComponent(name)}`;
}

async function told(promise) {
  const set = await promise;
  state.tell('rules', set);
  return set;
}
