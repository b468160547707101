// Filters as lists of terms, for adding conditions to what was typed, and for taking them out again.

/// The words of a filter with the operators between them. Quotes and parentheses keep together what
/// is in them.
function words(filter) {
  const found = [];
  let word = '';
  let depth = 0;
  let quote = '';
  const end = () => {
    if (word) found.push(word);
    word = '';
  };
  for (let at = 0; at < filter.length; at += 1) {
    const character = filter[at];
    if (quote) {
      if (character === '\\') word += filter[at++];
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '(') {
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
    } else if (depth === 0 && /\s/.test(character)) {
      end();
      continue;
    } else if (depth === 0 && (character === '|' || character === '&')) {
      end();
      found.push(character);
      continue;
    }
    word += filter[at] ?? '';
  }
  end();
  return found;
}

const isOr = (word) => word === '|' || word.toLowerCase() === 'or';
const isAnd = (word) => word === '&' || word.toLowerCase() === 'and';

/// The conditions that all have to be true. A filter with an `or` outside of parentheses is one
/// condition.
export function terms(filter) {
  const all = words(filter);
  if (all.some(isOr)) return [`(${filter.trim()})`];
  const found = [];
  let before = '';
  for (const word of all) {
    if (isAnd(word)) continue;
    if (word.toLowerCase() === 'not') {
      before += `${word} `;
    } else {
      found.push(before + word);
      before = '';
    }
  }
  return before ? [...found, before.trim()] : found;
}

/// The conditions of which one has to be true: those of `(a or b)`, or the term itself.
export function alternatives(term) {
  const isGroup = term.startsWith('(') && term.endsWith(')') && words(term).length === 1;
  const all = words(isGroup ? term.slice(1, -1) : term);
  const parts = [[]];
  for (const word of all) {
    if (isOr(word)) parts.push([]);
    else parts.at(-1).push(word);
  }
  return parts.map((part) => part.join(' ')).filter(Boolean);
}

/// One term of conditions of which one has to be true.
export function eitherOf(conditions) {
  return conditions.length === 1 ? conditions[0] : `(${conditions.join(' or ')})`;
}

/// A filter of terms that all have to be true. A single `(a or b)` needs no parentheses.
export function allOf(found) {
  if (found.length === 1 && alternatives(found[0]).length > 1) return alternatives(found[0]).join(' or ');
  return found.join(' ');
}

/// The filter with one more condition.
export function narrowed(filter, condition) {
  return allOf([...terms(filter), condition].filter((term, index, all) => all.indexOf(term) === index));
}
