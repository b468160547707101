// What a JSON Web Token says, below the value that it is in.

import { button, el } from './dom.js';
import { jsonTree } from './json-tree.js';
import { distance, timesOf, tokenIn } from './tokens.js';

/// A button that shows what the token in a text says, or null if there is no token.
export function tokenToggle(text) {
  const token = tokenIn(text);
  if (!token) return null;
  const content = el('div', { class: 'token-content', hidden: true });
  const toggle = button('JSON Web Token', () => {
    if (!content.firstChild) content.append(...tokenContent(token));
    content.hidden = !content.hidden;
    toggle.setAttribute('aria-expanded', String(!content.hidden));
  }, { class: 'quiet disclosure', 'aria-expanded': 'false', title: 'Show what the token says; it is not verified' });
  return el('div', { class: 'token-place' }, toggle, content);
}

/// The parts of a token, as elements.
export function tokenContent(token) {
  const times = timesOf(token, Date.now()).map((time) => el('p', { class: time.isBad ? 'bad' : 'dim' }, `${time.name} ${distance(time.at)}`));
  const isUnsigned = token.algorithm.toLowerCase() === 'none';
  return [
    ...times,
    isUnsigned ? el('p', { class: 'bad' }, 'It has no signature: anyone could have made it.') : null,
    el('h4', {}, 'Header'), jsonTree(token.header, { label: 'Header' }), el('h4', {}, 'Claims'), claims(token),
  ].filter(Boolean);
}

function claims(token) {
  if (token.claims) return jsonTree(token.claims, { label: 'Claims' });
  return el('p', { class: 'dim' }, token.isEncrypted ? 'Encrypted: only the receiver can read them.' : 'They are not a JSON object.');
}
