// Numbers, times and addresses as text.

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/// A count with its thousands grouped.
export function count(value) {
  return GROUPED.format(value ?? 0);
}

/// A count with its noun: `1 exchange`, `2,000 exchanges`.
export function counted(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/// A size in bytes, with three significant digits.
export function bytes(value) {
  if (value === null || value === undefined) return '';
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let amount = value;
  let unit = -1;
  do {
    amount /= 1000;
    unit += 1;
  } while (amount >= 999.5 && unit < units.length - 1);
  return `${significant(amount)} ${units[unit]}`;
}

/// A duration in milliseconds.
export function duration(ms) {
  if (ms === null || ms === undefined) return '';
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 999.5) return `${significant(ms)} ms`;
  if (ms < 60_000) return `${significant(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function significant(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/// The time of day with milliseconds, and the day before it if that is not today.
export function time(text) {
  if (!text) return '';
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  const day = `${pad(date.getMonth() + 1)}-${pad(date.getDate())} `;
  const isToday = date.toDateString() === new Date().toDateString();
  return `${isToday ? '' : day}${clock}.${pad(date.getMilliseconds(), 3)}`;
}

/// Day and time to the second.
export function dateTime(text) {
  const date = new Date(text);
  if (!text || Number.isNaN(date.getTime())) return text ?? '';
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

function pad(value, length = 2) {
  return String(value).padStart(length, '0');
}

/// The kind of a row's outcome: failed, active, info, ok, redirect, client, server. A gRPC call may
/// fail with status 200.
export function outcome(row) {
  if (row.error || row.state === 'failed' || row.grpc_status) return 'failed';
  if (row.status === null || row.status === undefined) {
    return row.state === 'active' ? 'active' : 'failed';
  }
  const kinds = { 1: 'info', 2: 'ok', 3: 'redirect', 4: 'client', 5: 'server' };
  return kinds[Math.floor(row.status / 100)] ?? 'info';
}

const SIGNS = {
  failed: '✕', active: '…', info: '·', ok: '', redirect: '→', client: '!', server: '‼',
};

const OUTCOMES = {
  failed: 'failed', active: 'still active', redirect: 'redirection', client: 'client error', server: 'server error',
};

/// The outcome in words, for those who do not see signs; empty if all went well.
export function outcomeText(row) {
  return OUTCOMES[outcome(row)] ?? '';
}

/// A symbol for the outcome, so that it does not depend on colour.
export function outcomeSign(row) {
  return SIGNS[outcome(row)];
}

/// The host, with its port if that is not the scheme's default.
export function hostText(row) {
  const usual = { http: 80, https: 443 }[row.scheme];
  const port = row.port && row.port !== usual ? `:${row.port}` : '';
  return `${row.host ?? ''}${port}`;
}

/// Path and query.
export function pathText(row) {
  const query = row.query === null || row.query === undefined ? '' : `?${row.query}`;
  return `${row.path ?? ''}${query}` || row.url || '';
}

/// The media type without its parameters; `application/` and `text/` are left out.
export function typeText(type) {
  return (type ?? '').split(';')[0].trim().replace(/^(application|text)\//, '');
}

/// The name of the protocol, as users write it.
export function protocolText(row) {
  const names = { h1: 'HTTP/1', h2: 'HTTP/2', h3: 'HTTP/3', ws: 'WebSocket', grpc: 'gRPC', sse: 'SSE' };
  return names[row.protocol] ?? row.protocol ?? '';
}

/// A value of a filter, quoted if it has to be.
export function filterValue(value) {
  const text = String(value);
  return /^[\w./:*-]+$/.test(text) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/// A word of a shell command, quoted if it has to be.
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
