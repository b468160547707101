// The page that asks for the token, without which the server says nothing.

import { commandLine } from './commands.js';
import { field } from './dialog.js';
import { el } from './dom.js';
import { icon } from './icons.js';
import { keepToken, tokenIn } from './token.js';

/// Shows one field for the link or the token. `why` says what became of the token there was;
/// `command` prints a new link.
export function showTokenPage(why, command) {
  const input = el('input', { type: 'text', autocomplete: 'off', spellcheck: false, placeholder: 'http://127.0.0.1:…/#token=…', required: true });
  const problem = el('p', { class: 'bad', role: 'alert' }, why);
  const form = el('form', { noValidate: true, on: { submit: (event) => enter(event, input, problem) } },
    el('h1', { class: 'brand' }, icon('brand', 24), 'proxyd'), problem, field('Link or token', input),
    el('button', { type: 'submit', class: 'primary' }, 'Open'),
    el('div', { class: 'said' },
      el('p', { class: 'dim' }, 'The first line that this command prints is the link; each start makes a new one.'), commandLine(command)));
  document.body.replaceChildren(el('main', { class: 'gate' }, form));
  input.focus();
}

function enter(event, input, problem) {
  event.preventDefault();
  const token = tokenIn(input.value);
  if (!token) {
    problem.textContent = 'This is neither the link nor the token.';
    return input.focus();
  }
  keepToken(token);
  location.reload();
}
