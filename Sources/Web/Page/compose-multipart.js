// Multipart forms as pairs of names and texts or files. Bodies are strings with a character for each
// byte; parts that are not changed keep their bytes.

import { bytes } from './format.js';

/// The boundary that a Content-Type names, or null.
export function boundaryOf(type) {
  return /boundary="?([^";]+)"?/i.exec(type ?? '')?.[1] ?? null;
}

export function newBoundary() {
  return `proxyd-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/// The parts of a body. A part that is a file, or no text, has `file`.
export function readParts(body, boundary) {
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
  return parts.map((part) => readPart(part.replace(/^[ \t]*\r\n/, '')));
}

function readPart(raw) {
  const end = raw.startsWith('\r\n') ? 0 : raw.indexOf('\r\n\r\n') + 2;
  const head = raw.slice(0, end);
  const data = raw.slice(end + 2);
  const value = (name) => text(new RegExp(`[; ]${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(head)?.[1] ?? '') ?? '';
  const filename = value('filename');
  const plain = filename ? null : text(data);
  if (plain !== null) return { name: value('name'), value: plain.replaceAll('\r\n', '\n'), raw };
  const type = /^content-type:[ \t]*([^\r\n]*)/im.exec(head)?.[1] ?? 'application/octet-stream';
  return { name: value('name'), ...filePair({ filename, type, data }), raw };
}

/// What a row shows of a file.
export function filePair(file) {
  return { value: [file.filename || 'no text', file.type, bytes(file.data.length)].filter(Boolean).join(', '), file };
}

/// The body of pairs as it is sent.
export function writeParts(pairs, boundary) {
  return `${pairs.map((pair) => `--${boundary}\r\n${pair.raw ?? writePart(pair)}\r\n`).join('')}--${boundary}--\r\n`;
}

function writePart({ name, value, file }) {
  const quoted = (words) => binary(words).replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (!file) return `${disposition}\r\n\r\n${binary(value.replaceAll('\n', '\r\n'))}`;
  const filename = file.filename ? `; filename="${quoted(file.filename)}"` : '';
  return `${disposition}${filename}\r\nContent-Type: ${file.type}\r\n\r\n${file.data}`;
}

/// A text in UTF-8 with a character for each byte.
export function binary(words) {
  return Array.from(new TextEncoder().encode(words), (byte) => String.fromCharCode(byte)).join('');
}

/// What a file contains, with a character for each byte.
export async function fileContent(file) {
  const content = new Uint8Array(await file.arrayBuffer());
  const pieces = [];
  for (let at = 0; at < content.length; at += 8192) pieces.push(String.fromCharCode(...content.subarray(at, at + 8192)));
  return pieces.join('');
}

function text(data) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(data, (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}
