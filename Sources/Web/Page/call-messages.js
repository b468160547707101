// The messages of a gRPC call in one direction, which are what another exchange has as its body.

import { exchangePath, text } from './api.js';
import { button, el } from './dom.js';
import { bytes } from './format.js';
import { member, plainValue, readJSON } from './json-text.js';
import { messageDetail, messageFacts, messageOf } from './message-content.js';

const SHOWN = 5;

/// The first messages; the others are on their tab, which `showAll` opens.
export function callMessages(exchange, part, showAll) {
  const place = el('div', { class: 'call-messages' });
  fill(place, exchange, part, showAll);
  return place;
}

async function fill(place, exchange, part, showAll) {
  const direction = part === 'request' ? 'to_server' : 'to_client';
  try {
    const page = readJSON(await text(exchangePath(exchange.id, '/messages'), { query: { filter: `direction=${direction} kind=grpc`, limit: SHOWN } }));
    const messages = member(page, 'messages').items.map(({ node }) => messageOf(node));
    place.append(...messages.map(messageElement));
    if (messages.length === 0) place.append(el('p', { class: 'dim no-body' }, 'No message.'));
    if (plainValue(member(page, 'next')) !== null) place.append(el('p', {}, button('Show all messages', showAll)));
  } catch (problem) {
    place.append(el('p', { class: 'bad' }, problem.message));
  }
}

function messageElement(message) {
  const facts = [...messageFacts(message), bytes(message.bytes)].join(', ');
  const head = el('div', { class: 'body-bar' }, el('h3', {}, 'Message'), el('span', { class: 'dim grow' }, facts));
  return el('div', { class: 'call-message' }, head, messageDetail(message));
}
