// Dragging a row of the rules to another place.

/// Makes rows draggable by their handles. `moved(row, before)` gets the row that it is moved before,
/// or null for the end.
export function dragRows(body, moved) {
  let dragged = null;
  let place = null;
  const clear = () => {
    place?.row.classList.remove('drop-above', 'drop-below');
    place = null;
  };
  const end = () => {
    clear();
    if (dragged) dragged.draggable = false;
    dragged = null;
  };
  body.addEventListener('pointerdown', ({ target }) => {
    const handle = target.closest('.drag-handle');
    if (handle) handle.closest('tr').draggable = true;
  });
  body.addEventListener('pointerup', end);
  body.addEventListener('dragstart', (event) => {
    dragged = event.target;
    event.dataTransfer.setData('text/plain', dragged.rule.name);
    event.dataTransfer.effectAllowed = 'move';
  });
  body.addEventListener('dragover', (event) => {
    const row = event.target.closest('tr');
    if (!dragged || !row) return;
    event.preventDefault();
    clear();
    const { top, height } = row.getBoundingClientRect();
    place = { row, isAbove: event.clientY < top + height / 2 };
    row.classList.add(place.isAbove ? 'drop-above' : 'drop-below');
  });
  body.addEventListener('drop', (event) => {
    if (!dragged || !place) return;
    event.preventDefault();
    const before = place.isAbove ? place.row : place.row.nextElementSibling;
    if (before !== dragged && place.row !== dragged) moved(dragged, before);
    end();
  });
  body.addEventListener('dragend', end);
}
