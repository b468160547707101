// Decoded parameters of a request: query, form, parts of a multipart body.

import { bytes, counted } from './format.js';
import { pairTable, section } from './pairs.js';

/// A section for each kind of parameter that the request has.
export function parameterSections(request) {
  const sections = [];
  const add = (title, pairs) => {
    if (pairs?.length) sections.push(section(title, pairTable(title, pairs), { note: counted(pairs.length, 'parameter') }));
  };
  add('Query', request?.query);
  add('Form', request?.form);
  if (request?.multipart?.length) {
    sections.push(section('Parts', pairTable('Parts', request.multipart.map(partPair)), {
      note: counted(request.multipart.length, 'part'),
    }));
  }
  return sections;
}

function partPair(part) {
  const facts = [part.filename && `file ${part.filename}`, part.content_type, bytes(part.bytes)];
  return [part.name ?? '(no name)', facts.filter(Boolean).join(', ')];
}
