// Where the open exchange is: right of the list, below it, or alone in its place.

import { el } from './dom.js';
import { recall, remember } from './memory.js';
import { state } from './state.js';

/// The places in the order in which the key goes through them.
export const PLACES = ['right', 'below', 'alone'];

const SHARE_MIN = 20;
const SHARE_MAX = 85;
const narrow = matchMedia('(max-width: 1100px)');
const tiny = matchMedia('(max-width: 640px)');

/// The place that is in use. A tiny screen has room for one of the two only.
export function place() {
  if (tiny.matches) return 'alone';
  const chosen = recall('place', null);
  return PLACES.includes(chosen) ? chosen : (narrow.matches ? 'below' : 'right');
}

export function choosePlace(name) {
  remember('place', name);
  state.tell('place');
}

/// Goes to the next place.
export function nextPlace() {
  if (!tiny.matches) choosePlace(PLACES[(PLACES.indexOf(place()) + 1) % PLACES.length]);
}

/// The border between list and exchange, which is dragged, or moved with the arrow keys.
export function splitter() {
  const bar = el('div', {
    class: 'splitter', role: 'separator', tabIndex: 0, 'aria-label': 'Size of the exchange',
    'aria-valuemin': String(SHARE_MIN), 'aria-valuemax': String(SHARE_MAX),
  });
  const shares = { right: 55, below: 55, ...recall('shares', {}) };
  const apply = () => {
    const name = place();
    document.body.dataset.place = name;
    bar.setAttribute('aria-orientation', name === 'right' ? 'vertical' : 'horizontal');
    const share = shares[name] ?? 100;
    bar.setAttribute('aria-valuenow', String(Math.round(share)));
    document.body.style.setProperty('--exchange-share', `${share}%`);
  };
  const resize = (value) => {
    shares[place()] = Math.min(SHARE_MAX, Math.max(SHARE_MIN, value));
    remember('shares', shares);
    apply();
  };
  bar.addEventListener('pointerdown', (down) => drag(bar, down, resize));
  bar.addEventListener('dblclick', () => resize(55));
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: 3, ArrowUp: 3, ArrowRight: -3, ArrowDown: -3 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    resize(shares[place()] + step);
  });
  state.on('place', apply);
  for (const query of [narrow, tiny]) query.addEventListener('change', () => state.tell('place'));
  apply();
  return bar;
}

function drag(bar, down, resize) {
  down.preventDefault();
  bar.setPointerCapture(down.pointerId);
  const box = bar.parentElement.getBoundingClientRect();
  const end = new AbortController();
  const move = (event) => resize(place() === 'right' ? (100 * (box.right - event.clientX)) / box.width : (100 * (box.bottom - event.clientY)) / box.height);
  bar.addEventListener('pointermove', move, { signal: end.signal });
  for (const name of ['pointerup', 'pointercancel']) bar.addEventListener(name, () => end.abort(), { signal: end.signal });
}
