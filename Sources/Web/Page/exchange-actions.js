// What can be done with an exchange: replay, edit and send, copy, annotate, share.

import { exchangePath, json, text } from './api.js';
import { editNote, editTags, togglePin } from './annotations.js';
import { copyText } from './clipboard.js';
import { openComposer } from './composer.js';
import { button, el } from './dom.js';
import { menuButton } from './menu.js';
import { notify, notifyProblem } from './notices.js';
import { opened } from './sent.js';
import { state } from './state.js';

const LANGUAGES = [['curl', 'cURL'], ['fetch', 'fetch'], ['python', 'Python'], ['swift', 'Swift']];

/// The row of buttons of an open exchange.
export function exchangeActions(view) {
  const { exchange } = view;
  const copies = LANGUAGES.map(([name, title]) => ({ text: `Copy as ${title}`, run: () => copyAs(exchange.id, name, title) }));
  return el('div', { class: 'actions', role: 'toolbar', 'aria-label': 'Actions on the exchange' },
    button('Replay', () => replay(exchange.id), { title: 'Send the request again (r)' }),
    button('Edit and send', () => openComposer(exchange), { title: 'Edit a copy of the request and send it (e)' }),
    menuButton('Copy', [
      ...copies,
      { text: 'Copy URL', run: () => copyText(exchange.url, 'Copied the URL') },
      { text: 'Copy link to this page', run: () => copyText(state.address(), 'Copied the link') },
    ]),
    button(exchange.pinned ? 'Unpin' : 'Pin', () => togglePin(exchange), { 'aria-pressed': String(exchange.pinned), title: 'Pinned exchanges are kept (p)' }),
    button('Note', () => editNote(exchange), { title: 'Add a note (;)' }),
    button('Tags', () => editTags(exchange), { title: 'Add tags (t)' }));
}

/// Copies the request as code.
export function copyAs(id, name, title) {
  return copyText(text(exchangePath(id, `/copy/${name}`)), `Copied as ${title}`);
}

/// Sends the request again, byte for byte, and opens the new exchange.
export async function replay(id) {
  const sending = notify(`Sending ${id} again…`);
  try {
    const sent = await json(exchangePath(id, '/replay'), { method: 'POST', body: { exact: true } });
    opened(sent);
  } catch (problem) {
    notifyProblem(problem);
  } finally {
    sending();
  }
}
