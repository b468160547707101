// Lines of spans, each with the role of its colour, as the server's viewers make them.

import { el, visible } from './dom.js';

/// A line's spans as elements; what `search` finds in it is marked.
export function spanElements(spans, search = '') {
  return (spans ?? []).flatMap(({ text, role, marked: differs }) => {
    const name = [role && role !== 'plain' ? `role-${role}` : '', differs ? 'differs' : ''].join(' ').trim();
    return marked(visible(text), search).map((part) => {
      if (part.isMatch) return el('mark', {}, part.text);
      return name ? el('span', { class: name }, part.text) : document.createTextNode(part.text);
    });
  });
}

/// The parts of a text, those that `search` finds apart from the others.
export function marked(text, search) {
  if (!search) return [{ text }];
  const parts = [];
  const lower = text.toLowerCase();
  const sought = search.toLowerCase();
  let at = 0;
  for (let found = lower.indexOf(sought); found >= 0; found = lower.indexOf(sought, at)) {
    if (found > at) parts.push({ text: text.slice(at, found) });
    parts.push({ text: text.slice(found, found + sought.length), isMatch: true });
    at = found + sought.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/// Elements of numbered lines.
export function lineElements(lines, search = '') {
  return lines.map((line) => el('div', { class: 'line' },
    el('span', { class: 'number', 'aria-hidden': 'true' }, String((line.number ?? 0) + 1)),
    el('span', { class: 'text' }, spanElements(line.spans, search))));
}
