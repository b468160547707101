// Queries and forms as pairs. What is not changed keeps the bytes that it was written with.

/// The pairs of a query or a form, each with its text as it was (`raw`).
export function readPairs(text) {
  if (!text) return [];
  return text.split('&').map((raw) => {
    const place = raw.indexOf('=');
    const [name, value] = place < 0 ? [raw, null] : [raw.slice(0, place), raw.slice(place + 1)];
    return { name: decoded(name), value: value === null ? null : decoded(value), raw };
  });
}

export function writePairs(pairs) {
  return pairs.map(({ name, value, raw }) => raw ?? `${encoded(name)}=${encoded(value)}`).join('&');
}

/// A URL in parts: what precedes the query, the query without `?` or null, and the fragment.
export function splitURL(url) {
  const [, base, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(#[^]*)?$/.exec(url);
  return { base, query: query ?? null, fragment: fragment ?? '' };
}

/// What is not UTF-8 stays as it is written.
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function encoded(text) {
  return encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/');
}
