// Lines of spans, each with the role of its colour, as the server's viewers make them.

import { el, visible } from './dom.js';

/// A line's spans as elements; what `pattern` finds in it is marked.
export function spanElements(spans, pattern = null) {
  return (spans ?? []).flatMap(({ text, role, marked: differs }) => {
    const name = [role && role !== 'plain' ? `role-${role}` : '', differs ? 'differs' : ''].join(' ').trim();
    return marked(visible(text), pattern).map((part) => {
      if (part.isMatch) return el('mark', {}, part.text);
      return name ? el('span', { class: name }, part.text) : document.createTextNode(part.text);
    });
  });
}

/// The parts of a text, those that `pattern` finds apart from the others.
function marked(text, pattern) {
  if (!pattern) return [{ text }];
  const parts = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (found === '') continue;
    if (index > at) parts.push({ text: text.slice(at, index) });
    parts.push({ text: found, isMatch: true });
    at = index + found.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/// A text with what `pattern` finds marked, to append.
export function markedText(text, pattern) {
  return marked(visible(text), pattern).map((part) => (part.isMatch ? el('mark', {}, part.text) : part.text));
}

/// Elements of numbered lines.
export function lineElements(lines, pattern = null) {
  return lines.map((line) => el('div', { class: 'line' },
    el('span', { class: 'number', 'aria-hidden': 'true' }, String((line.number ?? 0) + 1)),
    el('span', { class: 'text' }, spanElements(line.spans, pattern))));
}
