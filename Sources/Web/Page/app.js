// The page: asks for the token if there is none, then builds the parts and passes them events.

import { json } from './api.js';
import { buildPage, focusView } from './page.js';
import { el } from './dom.js';
import { followEvents } from './events.js';
import { listenForKeys } from './keys.js';
import { notify } from './notices.js';
import { state } from './state.js';
import { askOtherTabs, currentToken, forgetToken, keepToken, tokenIn } from './token.js';

async function start() {
  state.readAddress();
  if (!currentToken()) {
    const token = await askOtherTabs();
    if (token) keepToken(token);
  }
  if (!currentToken()) return askForToken('');
  const page = buildPage();
  listenForKeys(page);
  focusView(page);
  addEventListener('hashchange', () => takeAddress());
  followEvents((name, data) => hear(page, name, data), (isUp, problem) => connection(page, isUp, problem), new AbortController().signal);
}

function hear(page, name, data) {
  if (name === 'holds') return state.tell('holds');
  page.list.change(data);
  state.tell('change', data);
  readStatus();
}

let lastStatus = -Infinity;

/// Reads the daemon's state at most every two seconds; it changes rarely.
async function readStatus() {
  if (performance.now() - lastStatus < 2000) return;
  lastStatus = performance.now();
  try {
    state.set('status', await json('/status'));
  } catch {
    // The events report when the server is away.
  }
}

function connection(page, isUp, problem) {
  const wasDown = page.connection.dataset.state === 'down';
  page.connection.dataset.state = isUp ? 'up' : 'down';
  page.connection.textContent = isUp ? 'live' : 'not connected';
  if (isUp && wasDown) {
    notify('Connected again');
    page.list.source.reset(state.filter, state.sort);
  }
  if (isUp) lastStatus = -Infinity;
  if (problem?.status !== 401) return;
  forgetToken();
  askForToken('The token is not valid any more: proxyctl web was started again.');
}

function takeAddress() {
  if (location.hash.includes('token=')) return location.reload();
  const { filter, view, openId } = state;
  state.readAddress();
  const now = { filter: state.filter, view: state.view, openId: state.openId };
  Object.assign(state, { filter, view, openId });
  for (const [name, value] of Object.entries(now)) state.set(name, value);
}

function askForToken(why) {
  const input = el('input', { type: 'text', autocomplete: 'off', spellcheck: false, 'aria-label': 'Link or token' });
  const form = el('form', { class: 'gate', on: { submit: (event) => enter(event, input) } },
    el('h1', {}, 'proxyd'), why ? el('p', { class: 'bad' }, why) : null,
    el('p', {}, 'Open the link that proxyctl web printed, or paste it here.'), input,
    el('button', { type: 'submit', class: 'primary' }, 'Open'));
  document.body.replaceChildren(el('main', {}, form));
  input.focus();
}

function enter(event, input) {
  event.preventDefault();
  const token = tokenIn(input.value);
  if (!token) return;
  keepToken(token);
  location.reload();
}

start();
