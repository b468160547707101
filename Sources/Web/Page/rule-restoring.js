// Brings back a rule that was removed.

import { json } from './api.js';
import { listItems, plainText, valueOf } from './rule-text.js';
import { addRule, readRule } from './rule-requests.js';
import { state } from './state.js';

/// What `restoreRule` needs, read before the rule is removed: the file, or the rule if it is only in
/// memory.
export async function textOfRules(rule, isTemporary) {
  if (!isTemporary) return { file: (await json('/rules/file')).text };
  return rule.temporary ? { rule, lines: (await readRule(rule.name)).lines } : { rule, lines: null };
}

export async function restoreRule({ file, rule, lines }) {
  if (file !== undefined) {
    const { text: now } = await json('/rules/file');
    return state.tell('rules', await json('/rules/file', { method: 'PUT', body: { text: file, before: now } }));
  }
  const read = (key) => listItems(valueOf(lines, key));
  const filter = plainText(valueOf(lines, 'when'));
  return addRule({ name: rule.name, filter, request: read('request'), response: read('response'), group: rule.group ?? undefined, temporary: true });
}
