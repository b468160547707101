// A held message in the list of the tray.

import { button, el } from './dom.js';
import { icon, iconButton } from './icons.js';

const SOON_MS = 15_000;

export function holdItem(hold, { isEnded, isSelected, choose, resume }) {
  const isResponse = hold.phase === 'response';
  const left = isEnded ? el('span', { class: 'badge bad' }, 'ended') : el('span', { class: 'left', data: { deadline: hold.deadline ?? '' } });
  const item = button([
    icon(isResponse ? 'arrow-down' : 'arrow-up'),
    el('span', { class: 'hold-what' }, el('strong', {}, isResponse ? String(hold.status ?? '') : hold.method), ` ${hold.url}`),
    el('span', { class: 'hold-facts' }, left, el('span', {}, `${hold.rule}${hold.claimed_by ? `, open in ${hold.claimed_by}` : ''}`)),
  ], choose, {
    class: 'hold-item', tabIndex: isSelected ? 0 : -1, data: { hold: String(hold.hold) },
    'aria-current': isSelected ? 'true' : null, 'aria-label': `Hold ${hold.hold}: ${hold.phase} ${hold.method} ${hold.url}`,
  });
  const go = isEnded ? null : iconButton('play', `Let hold ${hold.hold} go on`, resume, { class: 'icon quiet', tabIndex: -1, title: 'Let it go on unchanged (s)' });
  return el('li', {}, item, go);
}

/// Says how much time each message of a list has left.
export function drawTimes(list) {
  for (const place of list.querySelectorAll('.left')) {
    const left = Date.parse(place.dataset.deadline) - Date.now();
    place.textContent = Number.isNaN(left) ? '' : `${clock(left)} left`;
    place.classList.toggle('bad', left < SOON_MS);
  }
}

/// Minutes and seconds.
function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
