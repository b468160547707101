// The icons: drawn here on a grid of 16 pixels, in the colour of the text beside them.

import { button, svg } from './dom.js';

const circle = (x, y, radius) => `M${x + radius} ${y}a${radius} ${radius} 0 1 1 ${-2 * radius} 0a${radius} ${radius} 0 1 1 ${2 * radius} 0z`;
const box = (x, y, width, height, corner = 1) => {
  const arc = (dx, dy) => `a${corner} ${corner} 0 0 1 ${dx} ${dy}`;
  return `M${x + corner} ${y}h${width - 2 * corner}${arc(corner, corner)}v${height - 2 * corner}${arc(-corner, corner)}`
    + `h${2 * corner - width}${arc(-corner, -corner)}v${2 * corner - height}${arc(corner, -corner)}z`;
};
const RING = circle(8, 8, 5.75);
const FRAME = box(2, 2.75, 12, 10.5, 1.5);
const FILE = 'M9.25 2H4.75a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h6.5a1 1 0 0 0 1-1V5zM9.25 2v3h3';
const TRAY = 'M2.75 10v2.25a1 1 0 0 0 1 1h8.5a1 1 0 0 0 1-1V10';

/// Each icon as lines, or as lines with surfaces: solid ones, and ones in a lighter tint.
const DRAWINGS = {
  'arrow-down': 'M8 3v10M3.75 8.75L8 13l4.25-4.25',
  'arrow-up': 'M8 13V3M3.75 7.25L8 3l4.25 4.25',
  block: `${RING}M3.95 3.95l8.1 8.1`,
  break: { lines: 'M5.6 2.25h4.8l3.35 3.35v4.8l-3.35 3.35H5.6L2.25 10.4V5.6z', solid: circle(8, 8, 2.25) },
  brand: { lines: 'M2 8h3.5M10.5 8H14M12 5.75L14.25 8 12 10.25', solid: circle(8, 8, 2.5), tinted: circle(8, 8, 5) },
  check: 'M3 8.5l3.5 3.5L13 4.5',
  'chevron-down': 'M4 6l4 4 4-4',
  'chevron-right': 'M6 4l4 4-4 4',
  'chevron-up': 'M4 10l4-4 4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  columns: `${FRAME}M6 2.75v10.5M10 2.75v10.5`,
  compare: 'M8 2v12M5.25 4.25H3a.75.75 0 0 0-.75.75v6c0 .4.35.75.75.75h2.25M10.75 4.25H13c.4 0 .75.35.75.75v6c0 .4-.35.75-.75.75h-2.25',
  copy: `${box(5.75, 5.75, 7.5, 7.5)}M3.5 10.25h-.25a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v.25`,
  drag: { solid: [3.75, 8, 12.25].map((y) => circle(5.75, y, 1) + circle(10.25, y, 1)).join('') },
  edit: 'M10.9 2.85a1.6 1.6 0 0 1 2.25 2.25l-7.4 7.4-3 .75.75-3zM9.5 4.25l2.25 2.25',
  error: `${RING}M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2`,
  export: `M8 9.75v-7.5M5 5.25l3-3 3 3${TRAY}`,
  filter: 'M2.25 3h11.5L9.5 8.25v4.5l-3-1.5v-3z',
  folder: 'M2 4.25c0-.55.45-1 1-1h3.25l1.5 1.75H13a1 1 0 0 1 1 1v6.25a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z',
  fold: 'M4.5 2.5L8 6l3.5-3.5M4.5 13.5L8 10l3.5 3.5',
  follow: 'M8 2.25v8M4.5 6.75L8 10.25l3.5-3.5M3 13.5h10',
  help: { lines: `${RING}M6.35 6.4A1.7 1.7 0 0 1 8 5.05c.95 0 1.7.7 1.7 1.6 0 1.2-1.7 1.3-1.7 2.35`, solid: circle(8, 11, 0.85) },
  hold: `${RING}M6.4 5.9v4.2M9.6 5.9v4.2`,
  import: `M8 2.25v7.5M5 6.75l3 3 3-3${TRAY}`,
  info: { lines: `${RING}M8 7.5v3.5`, solid: circle(8, 5.1, 0.85) },
  link: 'M6.75 9.25a2.75 2.75 0 0 0 3.9 0l2.1-2.1a2.75 2.75 0 0 0-3.9-3.9l-.6.6M9.25 6.75a2.75 2.75 0 0 0-3.9 0l-2.1 2.1a2.75 2.75 0 0 0 3.9 3.9l.6-.6',
  list: { lines: 'M6 3.75h7.75M6 8h7.75M6 12.25h7.75', solid: [3.75, 8, 12.25].map((y) => circle(3, y, 0.95)).join('') },
  lock: `${box(3.5, 7, 9, 6.5)}M5.25 7V5a2.75 2.75 0 0 1 5.5 0v2`,
  map: `${FILE}M5.75 9.75h4M8.25 7.9l1.85 1.85-1.85 1.85`,
  mock: 'M6 3.75L2.25 7.5 6 11.25M2.25 7.5H9.5a4.25 4.25 0 0 1 4.25 4.25v.75',
  more: { solid: [3, 8, 13].map((x) => circle(x, 8, 1.25)).join('') },
  'pane-alone': { lines: FRAME, tinted: FRAME },
  'pane-below': { lines: `${FRAME}M2 8h12`, tinted: 'M2 8h12v3.75a1.5 1.5 0 0 1-1.5 1.5h-9a1.5 1.5 0 0 1-1.5-1.5z' },
  'pane-right': { lines: `${FRAME}M8 2.75v10.5`, tinted: 'M8 2.75h4.5a1.5 1.5 0 0 1 1.5 1.5v7.5a1.5 1.5 0 0 1-1.5 1.5H8z' },
  note: `${FILE}M6 8h4M6 10.75h4`,
  pin: 'M5.5 2.25h5M6.25 2.25v4L4 9v.75h8V9L9.75 6.25v-4M8 9.75V14',
  play: 'M5 3.2v9.6a.3.3 0 0 0 .45.25l7.6-4.8a.3.3 0 0 0 0-.5l-7.6-4.8A.3.3 0 0 0 5 3.2z',
  plus: 'M8 3.25v9.5M3.25 8h9.5',
  record: { lines: RING, solid: circle(8, 8, 3) },
  replay: 'M13.5 8A5.5 5.5 0 1 1 8 2.5c1.55 0 3.02.64 4.1 1.7l1.4 1.4M13.5 2.5v3.1h-3.1',
  rewrite: 'M2.5 5h10M10 2.5L12.5 5 10 7.5M13.5 11h-10M6 8.5L3.5 11 6 13.5',
  rules: 'M2.25 4.25L3.5 5.5l2.25-2.5M2.25 11l1.25 1.25 2.25-2.5M8.5 4.5h5.25M8.5 11.25h5.25',
  save: 'M3.5 2.5h7l3 3v7a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM5.25 2.5v3h4.5v-3M4.75 13.5V9h6.5v4.5',
  search: `${circle(7, 7, 4.5)}M10.3 10.3l3.45 3.45`,
  send: 'M13.75 2.25L7 9M13.75 2.25L9.5 13.75 7 9 2.25 6.5z',
  'sort-down': 'M8 3.5v9M4.75 9.25L8 12.5l3.25-3.25',
  'sort-up': 'M8 12.5v-9M4.75 6.75L8 3.5l3.25 3.25',
  star: 'M8 2.1l1.82 3.7 4.08.6-2.95 2.87.7 4.06L8 11.42l-3.65 1.91.7-4.06L2.1 6.4l4.08-.6z',
  summary: 'M2.25 13.5h11.5M4.25 10.75V8M8 10.75V3M11.75 10.75v-5.5',
  tag: {
    lines: 'M2.5 3.25V7.6c0 .27.1.52.3.7l5.4 5.4a1 1 0 0 0 1.4 0l4.1-4.1a1 1 0 0 0 0-1.4L8.3 2.8a1 1 0 0 0-.7-.3H3.25a.75.75 0 0 0-.75.75z',
    solid: circle(5.4, 5.4, 1),
  },
  throttle: 'M4.1 12.65a5.75 5.75 0 1 1 7.8 0M8 8.5l2.6-2.9',
  trash: 'M2.5 4.25h11M6 4.25V3a.75.75 0 0 1 .75-.75h2.5A.75.75 0 0 1 10 3v1.25M4 4.25l.6 8.55a1 1 0 0 0 1 .95h4.8a1 1 0 0 0 1-.95L12 4.25M6.75 7v4M9.25 7v4',
  tree: 'M2.5 3h5M4 3v8.25a1 1 0 0 0 1 1h2.5M4 7.5h3.5M9.75 7.5h4M9.75 12.25h4',
  unfold: 'M4.5 5.75L8 2.25l3.5 3.5M4.5 10.25L8 13.75l3.5-3.5',
  warning: { lines: 'M7.35 2.65a.75.75 0 0 1 1.3 0l5.4 9.7a.75.75 0 0 1-.65 1.15H2.6a.75.75 0 0 1-.65-1.15zM8 6.25v3.25', solid: circle(8, 11.4, 0.85) },
  waterfall: 'M2.25 3.75H7M5 8h5.5M9.25 12.25h4.5',
};

const SURFACES = ['tinted', 'lines', 'solid'];

/// The drawing of a name, which screen readers pass over.
export function icon(name, size = 16) {
  const drawing = DRAWINGS[name];
  const parts = typeof drawing === 'string' ? { lines: drawing } : drawing;
  const paths = SURFACES.filter((kind) => parts[kind]).map((kind) => svg('path', { class: kind, d: parts[kind] }));
  return svg('svg', { class: 'icon-drawing', viewBox: '0 0 16 16', width: size, height: size, 'aria-hidden': 'true' }, ...paths);
}

/// A button that is only an icon; its label is its name and its tooltip.
export function iconButton(name, label, run, properties = {}) {
  return button(icon(name), run, { class: 'icon', 'aria-label': label, title: label, ...properties });
}
