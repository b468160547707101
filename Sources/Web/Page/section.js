// Titled parts of the exchange that fold. What the user folds or unfolds stays so for the next exchange.

import { el } from './dom.js';
import { recall, remember } from './memory.js';

/// A section; `note` is shown beside its title. With a `name`, its state is remembered.
export function section(title, content, { note = '', isOpen = true, name = null } = {}) {
  const summary = el('summary', {}, el('h3', {}, title), note ? el('span', { class: 'dim note' }, note) : null);
  const states = recall('folds', {});
  const element = el('details', { class: 'section', open: (name ? states[name] : undefined) ?? isOpen }, summary, content);
  if (name) summary.addEventListener('click', () => remember('folds', { ...recall('folds', {}), [name]: !element.open }));
  return element;
}
