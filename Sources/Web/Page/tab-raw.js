// The tab Raw: the heads byte for byte, as text or in hex. The hex of bodies is one of their viewers.

import { exchangePath, send } from './api.js';
import { copyText } from './clipboard.js';
import { button, el } from './dom.js';
import { headHex, headText } from './heads.js';
import { iconButton } from './icons.js';
import { recall, remember } from './memory.js';

const TITLES = { request: 'Request', response: 'Response' };
const MODES = [{ name: 'text', title: 'Text', draw: headText }, { name: 'hex', title: 'Hex', draw: headHex }];

/// Shows all following heads in a mode, `text` or `hex`.
export function chooseRawMode(name) {
  remember('raw', name);
}

export function fillRaw(content, exchange) {
  const parts = ['request', 'response'].filter((part) => exchange[part]).map((part) => new Head(exchange, part));
  const draw = () => {
    const chosen = MODES.find(({ name }) => name === recall('raw', 'text')) ?? MODES[0];
    buttons.forEach((one, index) => one.setAttribute('aria-pressed', String(MODES[index] === chosen)));
    return Promise.all(parts.map((part) => part.draw(chosen)));
  };
  const buttons = MODES.map(({ name, title }, index) => button(title, () => {
    chooseRawMode(name);
    draw();
  }, { title: `${title} (${6 + index})` }));
  content.append(
    el('div', { class: 'segmented raw-modes', role: 'group', 'aria-label': 'Heads as' }, buttons),
    el('div', { class: 'sides' }, parts.map((part) => part.element)));
  return draw();
}

/// One head, which is read once for both modes.
class Head {
  constructor(exchange, part) {
    this.bytes = send(exchangePath(exchange.id, `/head/${part}`)).then(async (response) => new Uint8Array(await response.arrayBuffer()));
    this.place = el('div', { class: 'raw-head', role: 'group', tabIndex: 0, 'aria-label': `Head of the ${part}` });
    const copy = () => copyText(this.bytes.then((bytes) => new TextDecoder().decode(bytes)), `Copied the ${part} head`);
    const head = el('header', { class: 'half-head' }, el('h3', { class: 'grow' }, TITLES[part]), iconButton('copy', `Copy the ${part} head`, copy, { class: 'icon quiet' }));
    this.element = el('section', { class: 'side', 'aria-label': `${TITLES[part]} head` }, head, this.place);
  }

  async draw(mode) {
    try {
      this.place.replaceChildren(mode.draw(await this.bytes));
    } catch (problem) {
      this.place.replaceChildren(el('p', { class: problem.status === 404 ? 'dim' : 'bad' }, problem.message));
    }
  }
}
