// A button that opens a menu.

import { button, el } from './dom.js';

/// Makes the button; `items` are objects with `text` and `run`.
export function menuButton(text, items, properties = {}) {
  const menu = el('div', { class: 'menu', role: 'menu', 'aria-label': text, hidden: true });
  const opener = button(`${text} ▾`, () => toggle(menu.hidden), {
    'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': text, ...properties,
  });
  const toggle = (isOpen) => {
    menu.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) menu.firstChild.focus();
  };
  menu.append(...items.map((item) => button(item.text, () => {
    toggle(false);
    opener.focus();
    item.run();
  }, { role: 'menuitem', tabIndex: -1 })));
  menu.addEventListener('keydown', (event) => moveInMenu(event, menu, () => {
    toggle(false);
    opener.focus();
  }));
  menu.addEventListener('focusout', (event) => {
    if (!menu.contains(event.relatedTarget) && event.relatedTarget !== opener) toggle(false);
  });
  return el('span', { class: 'menu-place' }, opener, menu);
}

function moveInMenu(event, menu, close) {
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement);
  const places = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  if (event.key === 'Escape') close();
  else if (event.key in places) items[(places[event.key] + items.length) % items.length].focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
