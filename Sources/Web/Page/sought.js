// What a filter seeks in bodies, so that an open exchange shows where it is.

const TERMS = /(!|\bnot\s+)?(?:\b(body|reqbody|resbody)(:|~|=)|(~b|~bq|~bs)\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s()]+)/g;
const PARTS = {
  body: ['request', 'response'], reqbody: ['request'], resbody: ['response'],
  '~b': ['request', 'response'], '~bq': ['request'], '~bs': ['response'],
};

/// The pattern that the filter seeks in the body of `part`, or null. Conditions that exclude
/// bodies seek nothing.
export function soughtIn(filter, part) {
  const patterns = [];
  for (const [, isNot, field, operator, sign, written] of filter.matchAll(TERMS)) {
    if (!isNot && PARTS[field ?? sign].includes(part)) patterns.push(sourceOf(operator, unquoted(written)));
  }
  return patternOf(patterns.filter(Boolean));
}

/// A pattern for a text that is typed into the search of a body.
export function textPattern(text) {
  return patternOf(text ? [escaped(text)] : []);
}

function sourceOf(operator, value) {
  if (operator === ':' || operator === '=') return escaped(value);
  const source = value.replace(/^\(\?i\)/, '');
  // The server's expressions take linear time; here, repetitions could take for ages on a long body.
  return /[(){}]|[*+?].*[*+?]/.test(source) ? null : source;
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function unquoted(text) {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
}

/// Patterns of the server that this language does not know are not marked.
function patternOf(sources) {
  if (sources.length === 0) return null;
  try {
    return new RegExp(sources.map((source) => `(?:${source})`).join('|'), 'giu');
  } catch {
    return null;
  }
}
