// The page: asks for the token if there is none, then builds the parts and passes them events.

import { json } from './api.js';
import { keepWebCommand, webCommand } from './commands.js';
import { listenForMenus } from './context-menu.js';
import { throttled } from './dom.js';
import { listenForDrops } from './drop-zone.js';
import { followEvents } from './events.js';
import { focusView } from './focus-view.js';
import { listenForKeys } from './keys.js';
import { buildPage } from './page.js';
import { state } from './state.js';
import { askOtherTabs, currentToken, forgetToken, keepToken } from './token.js';

async function start() {
  state.readAddress();
  if (!currentToken()) {
    const token = await askOtherTabs();
    if (token) keepToken(token);
  }
  if (!currentToken()) return askForToken('');
  state.on('status', () => keepWebCommand(state.status));
  const page = buildPage();
  listenForKeys(page);
  listenForMenus(page);
  listenForDrops();
  focusView(page);
  addEventListener('hashchange', () => takeAddress());
  followEvents((name, data) => hear(page, name, data), (isUp, problem) => connection(page, isUp, problem), new AbortController().signal);
}

function hear(page, name, data) {
  if (name === 'status') return state.set('status', data);
  if (name === 'holds') return state.tell('holds', Array.isArray(data.holds) ? data : null);
  if (name === 'rules') return state.tell('rules', data);
  page.list.change(data);
  state.tell('change', data);
  readStatusLater();
}

/// The number of exchanges changes with each of them, and a server of an older version sends no
/// `status`.
const readStatusLater = throttled(readStatus, 2000);

async function readStatus() {
  try {
    state.set('status', await json('/status'));
  } catch {
    // The events report when the server is away.
  }
}

function connection(page, isUp, problem) {
  if (isUp) readStatus();
  // The end of a stream alone says little: the next attempt shows whether the server is there.
  if (isUp || problem?.status === 0) takeServer(page, isUp);
  if (problem?.status !== 401) return;
  forgetToken();
  askForToken('The token is no longer valid: proxyctl web was started again.');
}

function takeServer(page, isUp) {
  const wasUp = state.isServerUp;
  state.set('isServerUp', isUp);
  if (isUp && !wasUp) page.list.source.reset(state.filter, state.sort);
}

function takeAddress() {
  if (location.hash.includes('token=')) return location.reload();
  const { filter, view, openId } = state;
  state.readAddress();
  const now = { filter: state.filter, view: state.view, openId: state.openId };
  Object.assign(state, { filter, view, openId });
  for (const [name, value] of Object.entries(now)) state.set(name, value);
}

async function askForToken(why) {
  const { showTokenPage } = await import('./token-page.js');
  showTokenPage(why, webCommand(state.status));
}

start();
