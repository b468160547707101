// The tab Overview: request and response beside each other, and the details folded below them.

import { details } from './details.js';
import { el } from './dom.js';

export function fillOverview(content, exchange) {
  content.append(el('div', { class: 'sides', tabIndex: 0, role: 'group', 'aria-label': 'Request and response' }), details(exchange));
}

/// Puts the messages into their places, and renews the details if the exchange has changed.
export function showOverview(content, exchange, panes) {
  const sides = content.firstChild;
  if (panes.some((pane) => pane.element.parentElement !== sides)) sides.replaceChildren(...panes.map((pane) => pane.element));
  const seen = JSON.stringify({ ...exchange, request: null, response: null });
  if (content.seen && content.seen !== seen) content.lastChild.replaceWith(details(exchange));
  content.seen = seen;
}
