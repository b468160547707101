// The buttons of an open exchange.

import { copyItems } from './copy-menu.js';
import { button, el } from './dom.js';
import { icon } from './icons.js';
import { menuButton } from './menu.js';
import { rowMenu } from './row-menu.js';
import { breakOn } from './rule-actions.js';
import { editAndSend, replay } from './send-actions.js';
import { state } from './state.js';

export function exchangeActions(view) {
  const { exchange } = view;
  const canChange = state.status?.read_only !== true;
  const more = button(icon('more'), () => rowMenu(exchange, { below: more }), {
    class: 'icon quiet', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': 'More actions', title: 'More actions',
  });
  return el('div', { class: 'actions', role: 'toolbar', 'aria-label': 'Actions on the exchange' },
    canChange ? [
      button([icon('replay'), 'Replay'], () => replay(exchange.id), { title: 'Send the request again (r)' }),
      button([icon('edit'), 'Edit and send'], () => editAndSend(exchange), { title: 'Edit a copy of the request and send it (e)' }),
      button([icon('break'), 'Break on this'], () => breakOn(exchange), { title: 'Hold requests like this one from now on, or no more (B)' }),
    ] : null,
    menuButton('Copy as', () => copyItems(exchange)), more);
}
