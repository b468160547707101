// JSON while it is edited: where it is wrong, and the same with other white space.

import { readJSON } from './json-text.js';

/// What is wrong, and the line and column where, counted from 1; null if the text is JSON.
export function jsonMistake(text) {
  try {
    readJSON(text);
    return null;
  } catch (error) {
    const before = text.slice(0, error.at ?? text.length).split('\n');
    return { at: error.at ?? text.length, line: before.length, column: [...before.at(-1)].length + 1, message: error.message };
  }
}

/// Valid JSON with line breaks and indents; strings and numbers stay as they were written.
export function formatJSON(text) {
  let depth = 0;
  let result = '';
  const pad = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of tokens(text)) {
    if (token === '{' || token === '[') {
      depth += 1;
      result += token + pad();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      result = /[{[]\s*$/.test(result) ? result.trimEnd() + token : result + pad() + token;
    } else {
      result += token === ',' ? `,${pad()}` : token === ':' ? ': ' : token;
    }
  }
  return result;
}

/// Valid JSON on one line.
export function compactJSON(text) {
  return [...tokens(text)].map(([token]) => token).join('');
}

function tokens(text) {
  return text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
}
