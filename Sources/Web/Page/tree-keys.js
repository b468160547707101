// The keys of a tree: arrows move among visible rows, unfold and fold.

/// Makes a row of a tree the one that has the focus.
export function focusItem(list, row) {
  for (const other of list.querySelectorAll('[role=treeitem][tabindex="0"]')) other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

/// Listens for `keydown` of a tree, whose rows have `toggle` if they fold.
export function moveByKey(event) {
  const row = document.activeElement;
  if (row.getAttribute('role') !== 'treeitem') return;
  const list = event.currentTarget;
  const rows = [...list.querySelectorAll('[role=treeitem]')].filter((one) => !one.closest('ul[hidden]'));
  const at = rows.indexOf(row);
  const isOpen = row.getAttribute('aria-expanded');
  const moves = {
    ArrowDown: () => rows[at + 1], ArrowUp: () => rows[at - 1], Home: () => rows[0], End: () => rows.at(-1),
    ArrowRight: () => (isOpen === 'true' ? rows[at + 1] : void row.toggle?.(true)),
    ArrowLeft: () => (isOpen === 'true' ? void row.toggle?.(false) : row.parentElement.closest('[role=treeitem]')),
    ' ': () => void row.toggle?.(),
  };
  if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const next = moves[event.key]();
  if (next) focusItem(list, next);
}
