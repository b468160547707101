// The focus never ends up on nothing: a focused element may disappear when it has been used.

let places = [];

/// Watches the focus. If what has it is gone or hidden after a click or a key, the nearest thing
/// around it that can be focused gets it, or else `otherwise()` decides.
export function keepFocus(otherwise) {
  document.addEventListener('focusin', ({ target }) => {
    places = [target, ...around(target)];
  });
  const check = () => setTimeout(() => {
    if (!isLost()) return;
    const place = places.find(isThere);
    if (place) place.focus({ preventScroll: true });
    if (isLost()) otherwise();
  });
  document.addEventListener('click', check);
  document.addEventListener('keydown', check);
}

/// Whether what was focused is gone, and nothing has the focus now.
function isLost() {
  return places.length > 0 && document.activeElement === document.body && !isThere(places[0]);
}

function isThere(element) {
  return element.isConnected && element.checkVisibility();
}

/// The elements around one that can be focused, the nearest first.
function around(element) {
  const found = [];
  for (let one = element.parentElement?.closest('[tabindex]'); one; one = one.parentElement?.closest('[tabindex]')) found.push(one);
  return found;
}
