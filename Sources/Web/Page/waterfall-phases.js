// The phases of exchanges, read for the rows that are visible.

import { json } from './api.js';
import { settled } from './dom.js';

/// What is drawn where phases overlap: the first one wins.
const ORDER = ['held', 'receive', 'wait', 'send', 'tls', 'connect', 'dns', 'deliver', 'upload', 'proxy'];
/// The phases in the order of the legend, with their names.
export const PHASES = [
  ['dns', 'DNS'], ['connect', 'Connect'], ['tls', 'TLS'], ['send', 'Send'], ['wait', 'Wait'], ['receive', 'Receive'],
  ['proxy', 'Proxy'], ['held', 'Held'],
];
const KEPT_MAX = 1000;
const REQUEST_MAX = 200;

/// The phases of exchanges by their number; `came()` is called when some have arrived.
export class Phases {
  #known = new Map();
  #wanted = [];
  #isReading = false;

  constructor(came) {
    this.came = came;
    this.readSoon = settled(() => this.#read(), 40);
  }

  /// The phases of a row, or null if they are not known.
  of(row) {
    const entry = this.#known.get(row.id);
    return entry?.version === versionOf(row) ? entry.phases : null;
  }

  /// Reads what is not known about the rows, once they stand still, and nothing that was wanted before.
  want(rows) {
    this.#wanted = rows.filter((row) => this.#known.get(row.id)?.version !== versionOf(row)).slice(0, REQUEST_MAX);
    if (this.#wanted.length) this.readSoon();
  }

  async #read() {
    if (this.#isReading || this.#wanted.length === 0) return;
    this.#isReading = true;
    const rows = this.#wanted;
    try {
      const { timelines } = await json('/timelines', { query: { ids: rows.map((row) => row.id).join(',') } });
      for (const row of rows) this.#keep(row, withoutOverlaps(timelines[row.id]?.spans ?? []));
      this.came();
    } catch {
      // The server is away: the bars keep their one colour until rows are wanted again.
    }
    this.#isReading = false;
  }

  #keep(row, phases) {
    this.#known.delete(row.id);
    this.#known.set(row.id, { version: versionOf(row), phases });
    if (this.#known.size > KEPT_MAX) this.#known.delete(this.#known.keys().next().value);
  }
}

/// Changes when an exchange goes on.
function versionOf(row) {
  return `${row.state} ${row.duration_ms} ${row.held_ms}`;
}

/// Spans one after the other, of which each moment has at most one.
function withoutOverlaps(spans) {
  const edges = [...new Set(spans.flatMap((span) => [span.start_ms, span.start_ms + span.duration_ms]))].sort((a, b) => a - b);
  const phases = [];
  for (const [index, end] of edges.slice(1).entries()) {
    const name = nameAt(spans, edges[index], end);
    if (!name) continue;
    const last = phases.at(-1);
    if (last?.name === name && last.end === edges[index]) last.end = end;
    else phases.push({ name, start: edges[index], end });
  }
  return phases;
}

function nameAt(spans, start, end) {
  const names = spans.filter((span) => span.start_ms <= start && span.start_ms + span.duration_ms >= end)
    .map((span) => (ORDER.includes(span.name) ? span.name : 'proxy'));
  const first = ORDER.find((name) => names.includes(name));
  return first === 'deliver' ? 'receive' : first === 'upload' ? 'send' : first;
}
