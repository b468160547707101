// What stands above the tabs of an exchange: status, method, address, and what can be done.

import { exchangeActions } from './exchange-actions.js';
import { el } from './dom.js';
import { outcome, outcomeSign, outcomeText } from './format.js';
import { grpcFailure } from './grpc-status.js';
import { icon, iconButton } from './icons.js';
import { choosePlace, place, PLACES } from './layout.js';
import { capture, copyButton } from './pairs.js';
import { state } from './state.js';

const PLACE_LABELS = { right: 'Exchange at the right', below: 'Exchange below the list', alone: 'Exchange alone' };

/// The head of the exchange that `view` shows. The switch of places stays the same element.
export function exchangeHead(view, places) {
  const { exchange } = view;
  return el('header', { class: 'exchange-head' },
    el('div', { class: 'title-line' }, title(exchange), el('div', { class: 'title-tools' }, steps(), places, closeButton())),
    el('div', { class: 'action-line' }, exchangeActions(view), remarks(exchange)));
}

/// Buttons that go to the exchange above or below in the list.
function steps() {
  const step = (name, label, key, by) => iconButton(name, label, () => state.tell('step', by), { class: 'icon quiet', title: `${label} (${key})` });
  return el('div', { class: 'steps' }, step('chevron-up', 'Previous exchange', '[', -1), step('chevron-down', 'Next exchange', ']', 1));
}

function closeButton() {
  return iconButton('close', 'Close exchange', () => state.set('openId', null), { class: 'icon quiet', title: 'Close (Escape)' });
}

/// Chooses where the exchange is.
export function placeSwitch() {
  const buttons = PLACES.map((name) => iconButton(`pane-${name}`, PLACE_LABELS[name], () => choosePlace(name), { title: `${PLACE_LABELS[name]} (O)` }));
  const mark = () => buttons.forEach((one, index) => one.setAttribute('aria-pressed', String(PLACES[index] === place())));
  state.on('place', mark);
  mark();
  return el('div', { class: 'segmented places', role: 'group', 'aria-label': 'Place of the exchange' }, buttons);
}

function title(exchange) {
  const status = [exchange.status ?? (exchange.error ? 'failed' : exchange.state), grpcFailure(exchange)].filter(Boolean).join(' · ');
  const words = exchange.status ? el('span', { class: 'unseen' }, `${outcomeText(exchange)} `) : null;
  const sign = el('span', { 'aria-hidden': 'true' }, `${outcomeSign(exchange)} `);
  const url = el('span', { class: 'url' }, exchange.url ?? '');
  const outcomeElement = el('span', { class: `status ${outcome(exchange)}` }, sign, words, status);
  if (exchange.status) capture(outcomeElement, 'status', '', String(exchange.status));
  const heading = el('h2', { class: 'exchange-title', title: exchange.url },
    outcomeElement, el('span', { class: 'method' }, exchange.method ?? ''), url);
  capture(heading, 'url', '', exchange.url);
  return el('div', { class: 'title-place' }, heading, copyButton('URL', exchange.url));
}

/// What people wrote to be seen: that it is pinned, tags, and a note.
function remarks(exchange) {
  const pinned = exchange.pinned ? [el('span', { class: 'badge accent' }, icon('pin', 12), 'pinned')] : [];
  const tags = (exchange.tags ?? []).map((tag) => el('span', { class: 'badge' }, icon('tag', 12), tag));
  const note = exchange.note ? [el('span', {}, exchange.note)] : [];
  const all = [...pinned, ...tags, ...note];
  return all.length ? el('p', { class: 'exchange-remarks' }, ...all) : null;
}
