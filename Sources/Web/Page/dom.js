// Builds elements. Captured text only ever becomes text nodes or plain attributes, so none of it
// can run as HTML or script; and characters that deceive the reader are written out.

const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/// The text with control, bidirectional and invisible characters written out, since those make a
/// text look like another one. All functions here do that themselves.
export function visible(text) {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0).toString(16).toUpperCase();
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}

const shown = (value) => (typeof value === 'string' ? visible(value) : value);

/// Creates an element. `properties` are DOM properties, except `class`, `role`, `data` (an object)
/// and names with a hyphen, which are attributes, and `on` (an object of listeners).
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null) continue;
    if (key === 'class') element.className = value;
    else if (key === 'on') listen(element, value);
    else if (key === 'data') Object.assign(element.dataset, value);
    else if (key === 'title') element.title = shown(value);
    else if (key === 'role' || key.includes('-')) element.setAttribute(key, shown(value));
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined).map(shown));
  return element;
}

function listen(element, listeners) {
  for (const [type, listener] of Object.entries(listeners)) {
    element.addEventListener(type, listener);
  }
}

/// A button with a visible text; `title` becomes its tooltip.
export function button(text, run, properties = {}) {
  return el('button', { type: 'button', on: { click: run }, ...properties }, text);
}

/// An element of SVG; all properties are attributes.
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.map(shown));
  return element;
}

/// Sets the text only if it differs, since each assignment makes the browser lay out again.
export function setText(element, text) {
  const now = visible(text);
  if (element.textContent !== now) element.textContent = now;
}

/// Calls `run` at most once in `ms`, the last time with the last arguments.
export function throttled(run, ms) {
  let timer = 0;
  let last = 0;
  let values = [];
  const fire = () => {
    timer = 0;
    last = performance.now();
    run(...values);
  };
  return (...given) => {
    values = given;
    if (!timer) timer = setTimeout(fire, Math.max(0, ms - (performance.now() - last)));
  };
}

/// Calls `run` when nothing has called for `ms`; `cancel` drops a call that is still to come.
export function settled(run, ms) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), ms);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

/// Gives a browser's download of a blob a name.
export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
