// What is known about an exchange beside its messages, folded behind one line.

import { el } from './dom.js';
import * as format from './format.js';
import { grpcStatus } from './grpc-status.js';
import { headerOf, pairTable } from './pairs.js';
import { section } from './section.js';
import { fillTimingBar } from './tab-timing.js';

/// The details of an exchange; the line says the most important of them.
export function details(exchange) {
  const bar = el('div', { class: 'timing-bar-place' });
  const content = el('div', { class: 'details-content', tabIndex: 0, role: 'group', 'aria-label': 'Details of the exchange' });
  const element = section('Details', content, { note: glance(exchange), name: 'Details', isOpen: false });
  element.classList.add('details');
  const fill = () => {
    if (!element.open || content.firstChild) return;
    content.append(bar, pairTable('Facts', facts(exchange)));
    fillTimingBar(bar, exchange);
  };
  element.addEventListener('toggle', fill);
  fill();
  return element;
}

function glance(exchange) {
  const process = exchange.process ?? exchange.client_address;
  return [
    format.duration(exchange.duration_ms), format.protocolText(exchange) || exchange.http_version, exchange.tls_version,
    process, format.dateTime(exchange.started_at),
  ].filter(Boolean).join(' · ');
}

function certificateText(asked) {
  if (!asked) return null;
  const accepted = asked.authorities.length ? asked.authorities.join('; ') : 'any authority';
  return `${asked.shown ? 'shown' : 'asked for, none was given'}; accepted from: ${accepted}`;
}

function facts(exchange) {
  const { request, response } = exchange;
  const all = [
    ['URL', exchange.url],
    ['Method', exchange.method],
    ['Status', exchange.status === null ? null : `${exchange.status} ${exchange.reason ?? ''}`],
    ['Received', exchange.received_status === null ? null : `${exchange.received_status} from the server`],
    ['Error', exchange.error],
    ['State', exchange.state],
    ['Started', `${format.dateTime(exchange.started_at)}`],
    ['Duration', format.duration(exchange.duration_ms)],
    ['Held', exchange.held_ms === null ? null : `${format.duration(exchange.held_ms)}, not counted`],
    ['Protocol', [format.protocolText(exchange), exchange.http_version].filter(Boolean).join(', ')],
    ['Switched to', exchange.upgraded_to],
    ['TLS', exchange.tls_version],
    ['Client', exchange.client_address],
    ['Process', exchange.process ? `${exchange.process} (${exchange.pid})` : null],
    ['Listener', exchange.listener],
    ['Mode', exchange.mode],
    ['Original destination', exchange.original_address],
    ['PROXY header from', exchange.proxy_protocol_peer],
    ['User', exchange.user],
    ['Server', exchange.server_address],
    ['Upstream proxy', exchange.upstream],
    ['Client certificate', certificateText(exchange.client_certificate)],
    ['Request body', sizeText(request)],
    ['Response body', sizeText(response)],
    ['Messages', exchange.messages],
    ['gRPC status', grpcStatus(exchange)],
    ['GraphQL', exchange.graphql_operation],
    ['Replay of', exchange.replay_of],
    ['Tags', exchange.tags?.join(', ') || null],
    ['Note', exchange.note],
    ['Rules', exchange.rules?.join(', ') || null],
    ['Refused because', response?.refused?.reason],
    ['Repaired', response?.repaired?.join(', ') || null],
  ];
  return all.filter(([, value]) => value !== null && value !== undefined && value !== '');
}

function sizeText(message) {
  if (!message || !message.body_bytes) return null;
  return [format.bytes(message.body_bytes), headerOf(message, 'content-type')].filter(Boolean).join(', ');
}
