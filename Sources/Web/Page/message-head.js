// The head of a message as text: its start line, and its header lines as pairs.

/// Reads a head. Each pair has the `line` that it was written as.
export function readHead(text) {
  const [start = '', ...lines] = text.replaceAll('\r', '').trimEnd().split('\n');
  return { start, pairs: lines.map(readLine) };
}

function readLine(line) {
  const place = line.indexOf(':', 1);
  return place < 0 ? { name: line, value: '', line } : { name: line.slice(0, place), value: line.slice(place + 1).trim(), line };
}

/// A head as it is sent: lines that were not changed stay as they were.
export function writeHead(start, pairs) {
  return [start, ...pairs.map(({ name, value, line }) => line ?? `${name.trim()}: ${value.trim()}`)].join('\n');
}

/// The end of each line as the protocol has it.
export function wireHead(text) {
  return `${text.replaceAll('\r', '').trimEnd().replaceAll('\n', '\r\n')}\r\n\r\n`;
}

/// Method, target and version of a request.
export function requestLine(start) {
  const [method = '', ...rest] = start.split(' ');
  const version = /^HTTP\/\d/.test(rest.at(-1) ?? '') ? rest.pop() : '';
  return { method, target: rest.join(' '), version };
}

/// Version, status and reason of a response.
export function statusLine(start) {
  const [version = '', status = '', ...reason] = start.split(' ');
  return { version, status, reason: reason.join(' ') };
}
