// Menus: below a button, or where a context menu was asked for. They are in the top layer, so that
// nothing cuts them off.

import { el } from './dom.js';
import { icon } from './icons.js';

const GAP = 4;

/// The menu that is open; null if none is.
let shown = null;

/// Makes a button that opens a menu below it. `items` is a list as for `openMenu`, or makes one;
/// `content` is what the button shows.
export function menuButton(text, items, { content = text, ...properties } = {}) {
  const sign = content === text ? el('span', { class: 'menu-sign', 'aria-hidden': 'true' }) : null;
  const opener = el('button', {
    type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': text, ...properties,
    on: { click: () => openMenu(text, items, { below: opener }) },
  }, content, sign);
  return opener;
}

/// Opens a menu `below` an element, or at the point `x`, `y`. `items` has objects with `text` and
/// `run`, and null for a line between groups. An item may have a `key` that does the same, a `note`,
/// `icon`, `isDisabled`, `isDangerous`, a submenu (`items`), or `isChecked`, which makes it a switch.
export function openMenu(label, items, place) {
  const isOpen = place.below && shown?.opener === place.below;
  shown?.close(isOpen);
  if (isOpen) return;
  const before = place.below ?? document.activeElement;
  const menu = new Menu(label, items);
  const leave = ({ target }) => !menu.element.contains(target) && !place.below?.contains(target) && menu.close(false);
  menu.opener = place.below;
  menu.ended = (givesFocusBack) => {
    shown = null;
    document.removeEventListener('pointerdown', leave, { capture: true });
    place.below?.setAttribute('aria-expanded', 'false');
    if (givesFocusBack && before?.isConnected) before.focus({ preventScroll: true });
  };
  document.addEventListener('pointerdown', leave, { capture: true });
  place.below?.setAttribute('aria-expanded', 'true');
  (before?.closest('dialog') ?? document.querySelector('main')).append(menu.element);
  shown = menu;
  menu.show(place);
}

class Menu {
  ended = () => {};
  #child = null;

  constructor(label, items, parent = null) {
    this.parent = parent;
    const all = typeof items === 'function' ? items() : items;
    this.hasIcons = all.some((item) => item?.icon);
    this.element = el('div', {
      class: 'menu', role: 'menu', 'aria-label': label, popover: 'manual', tabIndex: -1, on: { keydown: (event) => this.#key(event) },
    }, all.map((item) => this.#entry(item)));
  }

  show(place) {
    this.element.showPopover();
    const [x, y] = this.#corner(place);
    this.element.style.setProperty('left', `${x}px`);
    this.element.style.setProperty('top', `${y}px`);
    this.#entries()[0]?.focus();
  }

  /// The corner, so that the whole menu is visible if the page is large enough.
  #corner(place) {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const box = (place.below ?? place.beside)?.getBoundingClientRect();
    const x = place.beside ? this.#beside(box, width) : (box?.left ?? place.x);
    const y = place.below ? box.bottom + GAP : (box?.top ?? place.y);
    const above = place.below && y + height > innerHeight - GAP ? box.top - GAP - height : y;
    return [Math.max(GAP, Math.min(x, innerWidth - width - GAP)), Math.max(GAP, Math.min(above, innerHeight - height - GAP))];
  }

  #beside(box, width) {
    return box.right + width + GAP > innerWidth ? box.left - width : box.right;
  }

  #entry(item) {
    if (item === null) return el('hr', { role: 'separator' });
    const isSwitch = item.isChecked !== undefined;
    const entry = el('button', {
      type: 'button', role: isSwitch ? 'menuitemcheckbox' : 'menuitem', tabIndex: -1, disabled: item.isDisabled === true,
      'aria-checked': isSwitch ? String(item.isChecked) : null, 'aria-haspopup': item.items ? 'menu' : null,
      'aria-keyshortcuts': item.key, class: item.isDangerous ? 'dangerous' : '',
      on: { click: () => this.#choose(item, entry), pointerenter: (event) => event.pointerType === 'mouse' && this.#point(item, entry) },
    }, this.#sign(item), el('span', { class: 'text' }, item.text), item.note ? el('span', { class: 'note' }, item.note) : null,
    item.items ? icon('chevron-right') : item.key ? el('kbd', { 'aria-hidden': 'true' }, item.key) : null);
    entry.item = item;
    return entry;
  }

  /// The icon, or room for one beside the icons of others.
  #sign(item) {
    if (item.isChecked !== undefined) return el('span', { class: 'check' }, icon('check'));
    if (item.icon) return icon(item.icon);
    return this.hasIcons ? el('span', { class: 'no-icon' }) : null;
  }

  /// The mouse opens submenus without a click.
  #point(item, entry) {
    entry.focus({ preventScroll: true });
    if (item.items) this.#openChild(item, entry);
    else this.#child?.close();
  }

  #choose(item, entry) {
    if (item.items) return this.#openChild(item, entry);
    if (item.isChecked === undefined) {
      this.closeAll();
      return item.run();
    }
    item.isChecked = !item.isChecked;
    entry.setAttribute('aria-checked', String(item.isChecked));
    item.run(item.isChecked);
  }

  #openChild(item, entry) {
    if (this.#child?.opener === entry) return;
    this.#child?.close();
    this.#child = new Menu(item.text, item.items, this);
    this.#child.opener = entry;
    this.#child.ended = () => {
      this.#child = null;
      entry.focus({ preventScroll: true });
    };
    this.element.append(this.#child.element);
    this.#child.show({ beside: entry });
  }

  #entries() {
    return [...this.element.children].filter((one) => one.matches('button:not(:disabled)'));
  }

  #key(event) {
    if (event.key === 'Tab') return this.closeAll();
    event.stopPropagation();
    const entries = this.#entries();
    const at = entries.indexOf(document.activeElement);
    const places = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
    const { item } = document.activeElement;
    if (event.key in places) entries.at(places[event.key] % entries.length)?.focus();
    else if (event.key === 'ArrowRight' && item?.items) this.#openChild(item, document.activeElement);
    else if (event.key === 'Escape' || (event.key === 'ArrowLeft' && this.parent)) this.close();
    else if (/^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey) this.#goToLetter(entries, at, event.key);
    else return;
    event.preventDefault();
  }

  /// Goes to the next item that starts with a letter.
  #goToLetter(entries, at, letter) {
    const next = [...entries.slice(at + 1), ...entries.slice(0, at + 1)];
    next.find((one) => one.item.text.toLowerCase().startsWith(letter.toLowerCase()))?.focus();
  }

  /// Closes the menu. The focus goes back to where it was, unless something else was clicked.
  close(givesFocusBack = true) {
    this.element.remove();
    this.ended(givesFocusBack);
  }

  closeAll() {
    if (this.parent) this.parent.closeAll();
    else this.close();
  }
}
