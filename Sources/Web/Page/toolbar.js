// The buttons of the header: what concerns all exchanges.

import { openComposer } from './composer.js';
import { button, el } from './dom.js';
import { openHelp } from './help.js';
import { state } from './state.js';

export function toolButtons(page) {
  const follow = button('Follow', () => state.set('isFollowing', !state.isFollowing), { title: 'Stay at the newest exchange (F)' });
  const mark = () => follow.setAttribute('aria-pressed', String(state.isFollowing));
  state.on('isFollowing', mark);
  mark();
  return el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Tools' }, follow,
    button('New request', () => openComposer(null), { title: 'Compose a request (n)' }),
    button('Help', () => openHelp(), { title: 'Keys (?)' }));
}
