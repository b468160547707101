// The bytes of a head as lines of text with their ends, or in hex.

import { el, visible } from './dom.js';

const ROW = 16;

/// The head as it was received; the ends of lines are written out.
export function headText(bytes) {
  const lines = latin(bytes).split(/(?<=\n)/);
  return el('div', { class: 'raw-text' }, lines.map((line) => {
    const end = /\r?\n$/.exec(line)?.[0] ?? '';
    const sign = end.replace('\r', '\\r').replace('\n', '\\n');
    return el('div', {}, textOf(line.slice(0, line.length - end.length)), el('span', { class: 'line-end', 'aria-hidden': 'true' }, sign));
  }));
}

/// Offsets, bytes in hex, and what they are in ASCII.
export function headHex(bytes) {
  const rows = [];
  for (let at = 0; at < bytes.length; at += ROW) {
    const part = [...bytes.subarray(at, at + ROW)];
    const digits = part.map((byte) => byte.toString(16).padStart(2, '0'));
    const halves = [digits.slice(0, 8).join(' '), digits.slice(8).join(' ')].filter(Boolean).join('  ');
    const letters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join('');
    const offset = at.toString(16).padStart(4, '0');
    rows.push(el('div', { class: 'hex-row' }, el('span', { class: 'dim' }, offset), el('span', {}, halves), el('span', { class: 'role-string' }, letters)));
  }
  return el('div', { class: 'raw-hex' }, rows);
}

/// A character for each byte.
function latin(bytes) {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/// Most heads are ASCII, some UTF-8; what is neither shows its bytes.
function textOf(line) {
  try {
    return visible(new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(line, (character) => character.charCodeAt(0))));
  } catch {
    return line.replaceAll(/[\u0080-\u00ff]/g, (character) => `\\x${character.charCodeAt(0).toString(16).toUpperCase()}`);
  }
}
