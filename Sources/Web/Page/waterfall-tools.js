// The line above the waterfall: what the colours mean, and buttons to zoom.

import { button, el, setText } from './dom.js';
import { PHASES } from './waterfall-phases.js';

/// The keys of the terminal interface. The letters are those of the cursor, as in the list.
const KEYS = {
  '+': (chart) => chart.zoom(0.5), '=': (chart) => chart.zoom(0.5), '-': (chart) => chart.zoom(2), 0: (chart) => chart.showAll(),
  h: (chart) => chart.pan(-0.25), ArrowLeft: (chart) => chart.pan(-0.25), l: (chart) => chart.pan(0.25), ArrowRight: (chart) => chart.pan(0.25),
};

/// The element; `show({ isZoomed, isClipped })` says what can be done, `press(event)` does what a key means.
export function waterfallTools(chart) {
  const zoomButton = (text, label, key, run) => button(text, run, { class: 'quiet', 'aria-label': label, title: `${label} (${key})` });
  const earlier = zoomButton('◂', 'Earlier', 'h', () => chart.pan(-0.25));
  const later = zoomButton('▸', 'Later', 'l', () => chart.pan(0.25));
  const all = button('All', () => chart.showAll(), { title: 'Show all of the time (0)' });
  const note = el('span', { class: 'dim note' });
  const element = el('div', { class: 'waterfall-tools', role: 'group', 'aria-label': 'Waterfall' },
    el('ul', { class: 'legend', 'aria-label': 'Phases' }, PHASES.map(([name, title]) => el('li', { class: `phase-key ${name}` }, title))),
    note, el('span', { class: 'grow' }),
    earlier, later, zoomButton('−', 'Zoom out', '-', () => chart.zoom(2)), zoomButton('+', 'Zoom in', '+', () => chart.zoom(0.5)), all);
  element.show = ({ isZoomed, isClipped }) => {
    earlier.disabled = later.disabled = !isZoomed;
    setText(note, isClipped ? '▸ goes on; All shows its end' : '');
  };
  element.press = (event) => {
    const run = KEYS[event.key];
    if (!run || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    run(chart);
  };
  return element;
}
