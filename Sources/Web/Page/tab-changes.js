// The tab Changes: what rules did, and how messages differ between what was received and sent on.

import { exchangePath, json } from './api.js';
import { el } from './dom.js';
import { visible } from './pairs.js';

export async function fillChanges(content, exchange) {
  try {
    const changes = await json(exchangePath(exchange.id, '/changes'));
    const rules = changes.applied_rules ?? [];
    if (rules.length) content.append(rulesTable(rules));
    for (const part of ['request', 'response']) {
      const lines = changedLines(changes[part]);
      if (lines.length) content.append(el('h3', {}, part === 'request' ? 'Request' : 'Response'), el('div', { class: 'diff-lines' }, lines));
    }
    if (!content.firstChild) content.append(el('p', { class: 'dim' }, 'No rule changed anything.'));
  } catch (problem) {
    content.append(el('p', { class: 'bad' }, problem.message));
  }
}

function rulesTable(rules) {
  const heads = ['Rule', 'On', 'What it did', 'Detail'].map((text) => el('th', { scope: 'col' }, text));
  const rows = rules.map((rule) => el('tr', {}, el('th', { scope: 'row' }, rule.rule), el('td', {}, rule.phase),
    el('td', {}, rule.outcome), el('td', {}, visible(rule.detail ?? ''))));
  return el('table', { class: 'plain-table', 'aria-label': 'Rules that applied' }, el('thead', {}, el('tr', {}, heads)), el('tbody', {}, rows));
}

/// Heads are short: lines that only one side has are removed or added, all others stayed.
function changedLines(part) {
  const received = textLines(part?.received);
  const sent = textLines(part?.sent);
  if (!part || received.join('\n') === sent.join('\n')) return [];
  const kept = new Set(sent);
  const before = new Set(received);
  const removed = received.map((text) => line(kept.has(text) ? 'same' : 'removed', text));
  return [...removed, ...sent.filter((text) => !before.has(text)).map((text) => line('added', text))];
}

function textLines(lines) {
  if (typeof lines === 'string') return lines.split(/\r?\n/);
  return (lines ?? []).map((one) => (typeof one === 'string' ? one : (one.spans ?? []).map((span) => span.text).join('')));
}

function line(kind, text) {
  const sign = { same: ' ', removed: '−', added: '+' }[kind];
  return el('div', { class: `diff-line ${kind}` }, `${sign} ${visible(text)}`);
}
