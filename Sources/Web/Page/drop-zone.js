// Files that are dropped on the page. While one is over it, the page says what will happen.

import { openImport } from './doors.js';
import { el } from './dom.js';

let veil = null;

/// Listens for files on the whole page.
export function listenForDrops() {
  addEventListener('dragenter', (event) => over(event));
  addEventListener('dragover', (event) => over(event));
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && hide());
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    hide();
    openImport([...event.dataTransfer.files]);
  });
}

/// Texts and links that are dragged into fields are none of this.
function hasFiles({ dataTransfer }) {
  return dataTransfer?.types.includes('Files') ?? false;
}

function over(event) {
  if (!hasFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'copy';
  if (veil) return;
  veil = el('div', { class: 'drop-veil', role: 'status' }, el('div', { class: 'drop-place' },
    el('b', {}, 'Drop the file here'), el('span', { class: 'dim' }, 'HAR, mitmproxy, Charles, Fiddler, packet file or JSON lines')));
  document.body.append(veil);
}

function hide() {
  veil?.remove();
  veil = null;
}
