// Puts the focus back into what is shown.

import { state } from './state.js';

/// Focuses the list, or the view that is shown in its place.
export function focusView(page) {
  const target = state.view === 'list' ? page.list.grid : page.views.querySelector('[tabindex="0"], button, input');
  target?.focus();
}
