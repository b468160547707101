// Decoded parameters of a request: query, form, parts of a multipart body.

import { el } from './dom.js';
import { bytes } from './format.js';
import { partTexts } from './multipart.js';
import { pairTable } from './pairs.js';
import { section } from './section.js';

/// A section for each kind of parameter that the request has. What `pattern` finds in its body is
/// marked.
export function parameterSections(exchange, pattern = null) {
  const { query, form } = exchange.request ?? {};
  const parts = multipartPairs(exchange);
  return [
    table('Query', query, { kind: 'query' }),
    table('Form', form, { kind: 'form', pattern }),
    table('Parts', parts, { kind: 'multipart', pattern }),
  ].filter(Boolean);
}

function table(title, pairs, options) {
  if (!pairs?.length) return null;
  return section(title, pairTable(title, pairs, options), { note: String(pairs.length), name: title });
}

/// The parts by their names: what a text says, otherwise the file and its size.
function multipartPairs(exchange) {
  const parts = exchange.request?.multipart ?? [];
  const texts = parts.length ? partTexts(exchange) : null;
  return parts.map((part, index) => {
    const text = texts?.length === parts.length ? texts[index] : null;
    const facts = [part.filename && `file ${part.filename}`, part.content_type, bytes(part.bytes)].filter(Boolean).join(', ');
    if (text === null) return [part.name ?? '(no name)', el('span', { class: 'dim' }, facts)];
    return [part.name ?? '(no name)', text, part.filename || part.content_type ? facts : null];
  });
}
