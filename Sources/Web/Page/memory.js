// Preferences that outlive the tab: columns, filters used before. Nothing captured is stored
// here apart from the text of filters.

/// A preference, or `otherwise` if there is none or storage is not available.
export function recall(name, otherwise) {
  try {
    const text = localStorage.getItem(`proxyd-${name}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/// Stores a preference if the browser allows it.
export function remember(name, value) {
  try {
    localStorage.setItem(`proxyd-${name}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the preference then lasts as long as the page.
  }
}
