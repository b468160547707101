// The columns of the list: what each shows, how wide it is, and which ones have room.

import { grpcStatusText } from './codes.js';
import * as format from './format.js';
import { recall, remember } from './memory.js';

/// All columns. `sort` is the name that the server sorts by, `startsDescending` that what is slow,
/// large or failed comes first; `rank` says which ones stay on narrow screens: the lowest stay
/// longest.
export const COLUMNS = [
  { name: 'signs', title: 'Marks', heading: '', width: 46, rank: 3, text: () => '' },
  { name: 'id', title: 'Number', heading: '#', width: 72, rank: 7, isNumber: true, text: (row) => row.id },
  { name: 'time', title: 'Time', width: 152, rank: 8, sort: 'time', text: (row) => format.time(row.started_at) },
  { name: 'method', title: 'Method', width: 72, rank: 1, sort: 'method', text: (row) => row.method ?? '' },
  { name: 'status', title: 'Status', width: 66, rank: 1, sort: 'status', startsDescending: true, isNumber: true, text: statusText },
  { name: 'host', title: 'Host', width: 190, rank: 4, sort: 'host', text: format.hostText },
  { name: 'path', title: 'Path', width: 0, rank: 0, sort: 'path', text: pathWithFacts },
  { name: 'type', title: 'Type', width: 110, rank: 6, sort: 'type', text: (row) => format.typeText(row.response_content_type) },
  { name: 'reqsize', title: 'Sent', width: 76, rank: 12, isNumber: true, text: (row) => format.bytes(row.request_body_bytes) },
  { name: 'size', title: 'Size', width: 80, rank: 5, sort: 'size', startsDescending: true, isNumber: true, text: (row) => format.bytes(row.response_body_bytes) },
  { name: 'duration', title: 'Duration', width: 84, rank: 2, sort: 'duration', startsDescending: true, isNumber: true, text: (row) => format.duration(row.duration_ms) },
  { name: 'process', title: 'Process', width: 100, rank: 9, sort: 'process', text: (row) => row.process ?? '' },
  { name: 'proto', title: 'Protocol', width: 84, rank: 10, text: format.protocolText },
  { name: 'user', title: 'User', width: 100, rank: 11, text: (row) => row.user ?? '' },
  { name: 'client', title: 'Client', width: 150, rank: 13, text: (row) => row.client_address ?? '' },
  { name: 'server', title: 'Server', width: 150, rank: 14, text: (row) => row.server_address ?? '' },
];

const USUAL = ['signs', 'id', 'time', 'method', 'status', 'host', 'path', 'type', 'size', 'duration', 'process', 'proto'];
const PATH_WIDTH_MIN = 280;
const WIDTH_MIN = 40;
const NUMBER_WIDTH_MAX = 240;
const DIGIT_WIDTH = 8;
const byName = new Map(COLUMNS.map((column) => [column.name, column]));

/// Which columns are shown, in which order, and how wide.
export class ColumnChoice {
  names = recall('columns', USUAL).filter((name) => byName.has(name));
  #widths = recall('widths', {});

  #numberWidth = 0;

  width(column) {
    const usual = column.name === 'id' ? Math.max(column.width, this.#numberWidth) : column.width;
    return this.#widths[column.name] ?? usual;
  }

  /// Makes room for numbers with names of stores; says whether the width changed.
  noteNumbers(rows) {
    const longest = rows.reduce((length, row) => Math.max(length, String(row.id).length), 0);
    const width = Math.min(NUMBER_WIDTH_MAX, DIGIT_WIDTH * longest + 16);
    if (width <= this.#numberWidth) return false;
    const before = this.width(byName.get('id'));
    this.#numberWidth = width;
    return this.width(byName.get('id')) !== before;
  }

  resize(column, width) {
    this.#widths[column.name] = Math.max(WIDTH_MIN, Math.round(width));
    remember('widths', this.#widths);
  }

  choose(names) {
    this.names = names.includes('path') ? names : [...names, 'path'];
    remember('columns', this.names);
  }

  restore() {
    this.#widths = {};
    remember('widths', {});
    this.choose(USUAL);
  }

  /// The columns that have room in a list of `width` pixels; the path takes what is left.
  fitting(width) {
    const shown = this.names.map((name) => byName.get(name));
    const ranked = [...shown].sort((a, b) => a.rank - b.rank);
    let left = width - PATH_WIDTH_MIN;
    const kept = new Set();
    for (const column of ranked) {
      if (column.name !== 'path') left -= this.width(column);
      if (left < 0 && column.rank > 1) break;
      kept.add(column);
    }
    return shown.filter((column) => kept.has(column));
  }

  /// The tracks of a CSS grid.
  template(columns) {
    return columns.map((column) => column.track ?? (column.name === 'path' ? 'minmax(0, 1fr)' : `${this.width(column)}px`)).join(' ');
  }
}

/// The icons of what is noted about a row.
export function signsOf(row) {
  const signs = [
    [row.pinned, 'pin'], [row.note, 'note'], [row.tags?.length, 'tag'], [row.replay_of, 'replay'], [row.rules?.length, 'rewrite'],
  ];
  return signs.filter(([isSet]) => isSet).map(([, name]) => name);
}

/// What the signs mean, for screen readers and tooltips.
export function signsMeaning(row) {
  const words = [];
  if (row.pinned) words.push('pinned');
  if (row.note) words.push(`note: ${row.note}`);
  if (row.tags?.length) words.push(`tags: ${row.tags.join(', ')}`);
  if (row.replay_of) words.push(`replay of ${row.replay_of}`);
  if (row.rules?.length) words.push(`changed by ${row.rules.join(', ')}`);
  return words.join('; ');
}

/// Colour and shape come from the row's kind.
function statusText(row) {
  return row.status === null || row.status === undefined ? '' : String(row.status);
}

function pathWithFacts(row) {
  const facts = [];
  if (row.grpc_status) facts.push(grpcStatusText(row.grpc_status));
  if (row.messages) facts.push(format.counted(row.messages, 'message'));
  if (row.graphql_operation) facts.push(row.graphql_operation.replaceAll('\n', ', '));
  if (row.error && row.status === null) facts.push(row.error);
  return facts.length ? `${format.pathText(row)}  · ${facts.join(' · ')}` : format.pathText(row);
}
