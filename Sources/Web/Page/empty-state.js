// What a part of the page says when there is nothing to show: what that means, and what to do next.

import { el } from './dom.js';
import { icon } from './icons.js';

/// `actions` are buttons or commands to copy.
export function emptyState({ icon: name, title, text = '', actions = [] }) {
  return el('div', { class: 'empty-state' }, icon(name, 32), el('h2', {}, title),
    text ? el('p', {}, text) : null, actions.length ? el('div', { class: 'controls' }, actions) : null);
}
