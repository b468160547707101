// The completions of the filter bar: fields with their operators, values that occur, earlier filters.

import { json } from './api.js';
import { filterValue } from './format.js';

const CHOICES_MAX = 12;
let manual = null;
const values = new Map();
const VALUE_FIELDS = new Set(['method', 'host', 'status', 'type', 'process', 'scheme', 'proto', 'tag', 'rule', 'state']);

/// Completions for the word before the caret; an empty bar offers filters used before.
export async function completions(text, caret, history) {
  const word = /[^\s()]*$/.exec(text.slice(0, caret))[0].replace(/^!/, '');
  const start = caret - word.length;
  if (!text.trim()) return { start: 0, choices: history.slice(0, CHOICES_MAX).map((filter) => ({ text: filter, meaning: 'used before', isWhole: true })) };
  if (!word) return { start, choices: [] };
  try {
    const choices = await wordChoices(word);
    return { start, choices: choices.filter((choice) => choice.text !== word).slice(0, CHOICES_MAX) };
  } catch {
    // Without completions the bar still works; the filter itself reports what is wrong.
    return { start, choices: [] };
  }
}

async function wordChoices(word) {
  const test = /^([\w.-]+?)(>=|<=|!=|!:|!~|=|:|~|<|>)(.*)$/.exec(word);
  if (!test) return fieldChoices(word);
  const [, field, operator, begun] = test;
  if (!VALUE_FIELDS.has(field)) return [];
  const known = await valuesOf(field);
  const part = begun.replace(/^"/, '').toLowerCase();
  return known.filter((value) => String(value).toLowerCase().includes(part))
    .map((value) => ({ text: `${field}${operator}${filterValue(value)}` }));
}

async function fieldChoices(word) {
  manual ??= json('/filter/manual').catch(() => {
    manual = null;
    return { sections: [] };
  });
  const { sections } = await manual;
  return sections.flatMap((section) => section.entries)
    .filter((entry) => entry.completion?.startsWith(word))
    .map((entry) => ({ text: entry.completion.trimEnd(), meaning: entry.meaning }));
}

/// Values are read again after some seconds, since new ones come with traffic.
async function valuesOf(field) {
  const known = values.get(field);
  if (known && performance.now() - known.at < 5000) return known.values;
  const found = await json(`/values/${field}`).catch(() => ({ values: [] }));
  values.set(field, { at: performance.now(), values: found.values });
  return found.values;
}
