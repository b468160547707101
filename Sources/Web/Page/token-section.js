// A JSON Web Token as a section of the tab Security.

import { copyText } from './clipboard.js';
import { button, el } from './dom.js';
import { section } from './section.js';
import { tokenContent } from './token-toggle.js';

export function tokenSection(token) {
  const copy = button('Copy the token', () => copyText(token.text, 'Copied the token'));
  return section('JSON Web Token', el('div', { class: 'token-content' }, tokenContent(token), el('p', {}, copy)), { note: `${token.place}, not verified` });
}
