// The tab Timing: the phases of an exchange on one axis, the proxy's own time apart from the
// network's.

import { exchangePath, json } from './api.js';
import { el, svg } from './dom.js';
import { duration } from './format.js';
import { pairTable } from './pairs.js';
import { section } from './section.js';

const PHASES = ['dns', 'connect', 'tls', 'send', 'wait', 'receive'];
const LABELS = {
  dns: 'DNS', connect: 'Connect', tls: 'TLS', send: 'Send', wait: 'Wait', receive: 'Receive', upload: 'Upload', deliver: 'Deliver',
  proxy: 'Proxy', held: 'Held',
};

export async function fillTiming(content, exchange) {
  const { spans, total } = await spansOf(exchange);
  if (spans.length === 0) return content.append(el('p', { class: 'dim' }, 'No times were recorded.'));
  content.append(bar(spans, total), section('Phases', phaseTable(spans, total)));
  const { timeline } = exchange;
  if (!timeline) return;
  const facts = [
    ['Until the first byte of the response', duration(timeline.latency_ms)],
    ['Until the response was complete', duration(timeline.request_duration_ms)],
    ['In total', duration(timeline.total_duration_ms)],
    ['Connection to the server', timeline.connection_reused ? 'reused' : 'new'],
  ];
  content.append(section('Times', pairTable('Times', facts.filter(([, value]) => value))));
}

/// The bar alone, for the overview.
export async function fillTimingBar(place, exchange) {
  const { spans, total } = await spansOf(exchange);
  if (spans.length) place.replaceChildren(bar(spans, total));
}

/// The server's spans, or those that the exchange's timeline gives.
async function spansOf(exchange) {
  try {
    const { spans, total_ms: total } = await json(exchangePath(exchange.id, '/timeline'));
    return { spans, total: total || longest(spans) };
  } catch {
    const { timeline } = exchange;
    let start = 0;
    const spans = [];
    for (const name of PHASES) {
      const length = timeline?.[`${name}_ms`];
      if (length === null || length === undefined) continue;
      spans.push({ name, start_ms: start, duration_ms: length, kind: 'network' });
      start += length;
    }
    return { spans, total: Math.max(timeline?.total_duration_ms ?? 0, start) };
  }
}

function longest(spans) {
  return Math.max(1e-6, ...spans.map((span) => span.start_ms + span.duration_ms));
}

/// What a span is drawn as: phases of the network have their own colours, the proxy one of its own.
function spanClass(span) {
  return span.kind !== 'network' ? span.kind : PHASES.includes(span.name) ? span.name : 'network';
}

function labelOf(span) {
  return LABELS[span.name] ?? span.name;
}

/// How long each kind of phase took altogether, in the order in which they began.
function sums(spans) {
  const found = new Map();
  for (const span of spans) {
    const before = found.get(labelOf(span));
    found.set(labelOf(span), { kind: spanClass(span), ms: (before?.ms ?? 0) + span.duration_ms });
  }
  return [...found].map(([label, sum]) => ({ label, ...sum })).filter(({ ms }) => ms > 0);
}

function bar(spans, total) {
  const phases = sums(spans);
  const words = [`${duration(total)} in all`, ...phases.map(({ label, ms }) => `${label} ${duration(ms)}`)].join(', ');
  const picture = svg('svg', { class: 'timing-bar', role: 'img', 'aria-label': words, width: '100%', height: 34 });
  for (const span of spans) {
    const row = span.kind === 'network' ? 0 : 1;
    const rect = svg('rect', { class: `phase ${spanClass(span)}`, x: `${(100 * span.start_ms) / total}%`, y: row * 18, height: 14 },
      svg('title', {}, `${labelOf(span)}: ${duration(span.duration_ms)}`));
    rect.style.width = `max(1px, ${(100 * span.duration_ms) / total}%)`;
    picture.append(rect);
  }
  const legend = el('p', { class: 'timing-legend' }, el('b', {}, duration(total)),
    phases.map(({ label, kind, ms }) => el('span', { class: `key ${kind}` }, `${label} ${duration(ms)}`)));
  return el('div', { class: 'timing' }, picture, legend);
}

function phaseTable(spans, total) {
  const rows = spans.map((span) => {
    const track = svg('svg', { class: 'track', width: '100%', height: 12, 'aria-hidden': 'true' });
    const rect = svg('rect', { class: `phase ${spanClass(span)}`, x: `${(100 * span.start_ms) / total}%`, y: 1, height: 10 });
    rect.style.width = `max(2px, ${(100 * span.duration_ms) / total}%)`;
    track.append(rect);
    return el('tr', {}, el('th', { scope: 'row' }, labelOf(span)), el('td', {}, span.kind),
      el('td', { class: 'amount' }, duration(span.start_ms)), el('td', { class: 'amount' }, duration(span.duration_ms)), el('td', { class: 'wide' }, track));
  });
  const heads = [['Phase'], ['Where'], ['Start', 'amount'], ['Duration', 'amount'], [el('span', { class: 'unseen' }, 'On the axis')]]
    .map(([text, name]) => el('th', { scope: 'col', class: name }, text));
  return el('table', { class: 'phases' }, el('thead', {}, el('tr', {}, heads)), el('tbody', {}, rows));
}
