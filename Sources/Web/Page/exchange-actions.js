// What can be done with an exchange: replay, edit and send, copy, annotate, share.

import { exchangePath, json, text } from './api.js';
import { editNote, editTags, togglePin } from './annotations.js';
import { copyText } from './clipboard.js';
import { openComposer } from './composer.js';
import { button, el } from './dom.js';
import { menuButton } from './menu.js';
import { notify, notifyProblem } from './notices.js';
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
  notify(`Sending ${id} again…`);
  try {
    const sent = await json(exchangePath(id, '/replay'), { method: 'POST', body: { exact: true } });
    opened(sent, id);
  } catch (problem) {
    notifyProblem(problem);
  }
}

/// Opens an exchange that was sent from here; `undo` goes back to the one before.
export function opened(sent, before) {
  if (sent.recorded_as) {
    notify(`Sent; recorded in the data directory as exchange ${sent.recorded_as}`);
    return;
  }
  const outcome = sent.status ?? sent.error ?? 'sent';
  notify(`Exchange ${sent.id}: ${outcome}`);
  state.set('openId', String(sent.id));
  state.tell('sent', { id: String(sent.id), before });
}
