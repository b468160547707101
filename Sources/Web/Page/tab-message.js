// The tabs Request and Response: start line, headers, parameters, body.

import { BodyView } from './body-view.js';
import { el } from './dom.js';
import { counted } from './format.js';
import { pairTable, section } from './pairs.js';
import { parameterSections } from './parameters.js';

export function fillMessage(content, exchange, part) {
  const message = exchange[part];
  if (!message) {
    content.append(el('p', { class: 'dim' }, exchange.error ?? 'There is no response yet.'));
    return;
  }
  content.append(el('h2', { class: 'unseen' }, part === 'request' ? 'Request' : 'Response'));
  content.append(el('div', { class: 'start-line' }, startLine(exchange, part)));
  content.append(headerSection('Headers', message.headers));
  if (part === 'request') content.append(...parameterSections(message));
  if (message.body_bytes > 0 || message.body_text) {
    const view = new BodyView(exchange, part);
    content.append(section('Body', view.element));
  } else {
    content.append(el('p', { class: 'dim no-body' }, 'No body.'));
  }
  if (message.trailers?.length) content.append(headerSection('Trailers', message.trailers));
}

function headerSection(title, headers) {
  return section(title, pairTable(title, headers ?? []), { note: counted(headers?.length ?? 0, 'line') });
}

function startLine(exchange, part) {
  const version = exchange.http_version ?? '';
  if (part === 'request') return `${exchange.method ?? ''} ${exchange.url ?? ''} ${version}`;
  return `${version} ${exchange.status ?? ''} ${exchange.reason ?? ''}`;
}
