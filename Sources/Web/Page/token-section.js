// A JSON Web Token as a section of the tab Security.

import { copyText } from './clipboard.js';
import { button, el } from './dom.js';
import { dateTime, duration } from './format.js';
import { jsonTree } from './json-tree.js';
import { pairTable, section } from './pairs.js';
import { timesOf } from './tokens.js';

const DAY_MS = 86_400_000;

export function tokenSection(token) {
  const content = el('div', { class: 'token' });
  const times = timesOf(token, Date.now());
  if (times.length) content.append(pairTable('Times of the token', times.map((time) => [time.name, timeElement(time)])));
  if (token.algorithm.toLowerCase() === 'none') content.append(el('p', { class: 'bad' }, 'It has no signature: anyone could have made it.'));
  content.append(el('h4', {}, 'Header'), jsonTree(token.header, { label: 'Header' }), el('h4', {}, 'Claims'), claims(token));
  content.append(el('p', {}, button('Copy the token', () => copyText(token.text, 'Copied the token'))));
  return section('JSON Web Token', content, { note: `${token.place}, not verified` });
}

function claims(token) {
  if (token.claims) return jsonTree(token.claims, { label: 'Claims' });
  return el('p', { class: 'dim' }, token.isEncrypted ? 'Encrypted: only the receiver can read them.' : 'They are not a JSON object.');
}

function timeElement({ at, isBad }) {
  return el('span', { class: isBad ? 'bad' : '' }, `${dateTime(new Date(at).toISOString())}, ${distance(at - Date.now())}`);
}

function distance(ms) {
  const size = Math.abs(ms);
  const words = size < 2 * DAY_MS ? duration(Math.round(size / 1000) * 1000) : `${Math.floor(size / DAY_MS)} days`;
  return ms > 0 ? `in ${words}` : `${words} ago`;
}
