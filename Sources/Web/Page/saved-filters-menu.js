// The list of saved filters below the filter: choose, save, rename and delete.

import { button, el } from './dom.js';
import { icon, iconButton } from './icons.js';
import { notify } from './notices.js';
import { deleteFilter, renameFilter, savedFilters, saveFilter } from './saved-filters.js';
import { state } from './state.js';

/// Opens the list below a button. With `isSaving`, the name of the filter in use is asked for first.
export function openSavedFilters(opener, { isSaving = false } = {}) {
  const list = el('div', { class: 'saved-list' });
  const panel = el('div', { class: 'menu saved-filters', role: 'dialog', 'aria-label': 'Saved filters', popover: 'auto' }, list);
  const show = () => list.replaceChildren(...content(panel, show));
  panel.addEventListener('keydown', (event) => press(event, panel));
  panel.addEventListener('toggle', ({ newState }) => {
    opener.setAttribute('aria-expanded', String(newState === 'open'));
    if (newState === 'closed') panel.remove();
  });
  document.body.append(panel);
  panel.showPopover();
  const box = opener.getBoundingClientRect();
  panel.style.setProperty('top', `${box.bottom + 4}px`);
  panel.style.setProperty('left', `${Math.max(8, box.right - panel.offsetWidth)}px`);
  show();
  if (isSaving && state.filter) list.replaceChildren(nameForm('', (name) => saveFilter(name, state.filter), panel, show));
  (panel.querySelector('input') ?? panel.querySelector('button:not(:disabled)'))?.focus();
}

function content(panel, show) {
  const filters = savedFilters();
  const isSaved = filters.some(({ filter }) => filter === state.filter);
  const save = button([icon('plus'), 'Save this filter…'], () => {
    save.replaceWith(nameForm('', (name) => saveFilter(name, state.filter), panel, show));
    panel.querySelector('input').focus();
  }, { disabled: !state.filter || isSaved });
  const hint = state.filter ? '' : el('p', { class: 'dim small saved-hint' }, 'Type a filter first; then it can be saved here under a name.');
  return [
    el('div', { class: 'menu-title' }, 'Saved filters'),
    ...filters.map((one) => line(one, panel, show)),
    filters.length && !isSaved ? el('hr') : '', isSaved ? '' : save, hint,
  ].filter(Boolean);
}

function line({ name, filter }, panel, show) {
  const choose = () => {
    state.set('filter', filter);
    panel.hidePopover();
  };
  const rename = () => {
    element.replaceWith(nameForm(name, (other) => renameFilter(name, other), panel, show));
    panel.querySelector('input').select();
  };
  const remove = () => {
    deleteFilter(name);
    show();
    panel.querySelector('button:not(:disabled)')?.focus();
    notify(`Deleted the filter ${name}`, { undo: () => saveFilter(name, filter) });
  };
  const isInUse = filter === state.filter;
  const element = el('div', { class: 'saved-filter' },
    el('button', { type: 'button', class: 'choose', 'aria-current': isInUse ? 'true' : null, title: filter, on: { click: choose } },
      isInUse ? icon('check') : el('span', { class: 'no-icon' }), el('span', { class: 'name' }, name), el('code', { class: 'dim' }, filter)),
    iconButton('edit', `Rename ${name}`, rename), iconButton('trash', `Delete ${name}`, remove));
  return element;
}

/// Asks for a name; Escape goes back to the list.
function nameForm(before, save, panel, show) {
  const input = el('input', { type: 'text', value: before, 'aria-label': 'Name of the filter', placeholder: 'Name of the filter', maxLength: 60, spellcheck: false });
  const finish = () => {
    show();
    panel.querySelector('button:not(:disabled)')?.focus();
  };
  return el('form', {
    class: 'saved-name',
    on: {
      submit: (event) => {
        event.preventDefault();
        const name = input.value.trim();
        if (!name) return input.focus();
        save(name);
        finish();
      },
      keydown: (event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        finish();
      },
    },
  }, input, el('button', { type: 'submit', class: 'primary' }, 'Save'));
}

/// Up and down go through the names.
function press(event, panel) {
  event.stopPropagation();
  if (event.key === 'Escape') {
    event.preventDefault();
    panel.hidePopover();
  }
  const names = [...panel.querySelectorAll('.choose')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || names.length === 0 || event.target.matches('input')) return;
  event.preventDefault();
  names.at((names.indexOf(document.activeElement) + step) % names.length).focus();
}
