// The tab Changes: what rules did, and how messages differ between what was received and sent on.

import { exchangePath, json } from './api.js';
import { el } from './dom.js';
import { spanElements } from './lines.js';
import { section } from './section.js';

export async function fillChanges(content, exchange) {
  const rules = exchange.applied_rules ?? [];
  if (rules.length) content.append(rulesTable(rules));
  try {
    const { sections } = await json(exchangePath(exchange.id, '/changes'));
    for (const { title, lines } of sections) content.append(section(title, el('div', { class: 'diff-lines' }, lines.map(changedLine))));
    if (!content.firstChild) content.append(el('p', { class: 'dim' }, 'No rule changed anything.'));
  } catch (problem) {
    content.append(el('p', { class: 'bad' }, problem.message));
  }
}

function rulesTable(rules) {
  const heads = ['Rule', 'On', 'What it did', 'Detail'].map((text) => el('th', { scope: 'col' }, text));
  const rows = rules.map((rule) => el('tr', {}, el('th', { scope: 'row' }, rule.rule), el('td', {}, rule.phase),
    el('td', {}, rule.outcome), el('td', {}, rule.detail ?? '')));
  return el('table', { class: 'table', 'aria-label': 'Rules that applied' }, el('thead', {}, el('tr', {}, heads)), el('tbody', {}, rows));
}

function changedLine({ kind, spans }) {
  const sign = { removed: '−', added: '+' }[kind] ?? ' ';
  return el('div', { class: `diff-line ${kind}` }, `${sign} `, spanElements(spans));
}
