// Chooses which columns the list shows, and in which order.

import { COLUMNS } from './columns.js';
import { openDialog } from './dialog.js';
import { button, el } from './dom.js';
import { iconButton } from './icons.js';

export function openColumns(page) {
  const { choice } = page.list;
  const list = el('ul', { class: 'column-choice' });
  const apply = (names) => {
    choice.choose(names);
    page.list.layOut();
  };
  const shownNames = () => [...list.querySelectorAll('li')]
    .filter((item) => item.querySelector('input').checked).map((item) => item.dataset.name);
  const fill = () => {
    const hidden = COLUMNS.map((column) => column.name).filter((name) => !choice.names.includes(name));
    list.replaceChildren(...[...choice.names, ...hidden].map((name) => item(name)));
  };
  const item = (name) => {
    const column = COLUMNS.find((one) => one.name === name);
    const box = el('input', {
      type: 'checkbox', checked: choice.names.includes(name), disabled: name === 'path', on: { change: () => apply(shownNames()) },
    });
    const row = el('li', { data: { name } }, el('label', {}, box, column.title));
    const move = (sibling, direction) => iconButton(`arrow-${direction}`, `Move ${column.title} ${direction}`, (event) => {
      const other = row[sibling];
      if (!other) return;
      if (sibling === 'previousElementSibling') other.before(row);
      else other.after(row);
      event.currentTarget.focus();
      apply(shownNames());
    });
    row.append(move('previousElementSibling', 'up'), move('nextElementSibling', 'down'));
    return row;
  };
  fill();
  const restore = () => {
    choice.restore();
    page.list.layOut();
    fill();
  };
  openDialog('Columns', [list, el('p', { class: 'dim' }, 'On a narrow screen, only the columns that have room are shown.')], [
    button('Restore the default columns', restore),
  ]);
}
