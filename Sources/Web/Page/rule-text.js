// The text of a rule in TOML: finds the values of its keys, and changes one of them while all else
// stays as it was written.

/// A text as a string of TOML.
export function quoted(text) {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/// A value for JSON: numbers and truth values keep their type.
export function jsonValue(text) {
  return /^(true|false|[+-]?(0|[1-9]\d*)(\.\d+)?)$/.test(text) ? text : quoted(text);
}

/// The keys of a rule, each with the text of its value and where that is.
export function readEntries(text) {
  const entries = [];
  const scan = new Scan(text);
  while (scan.goToKey()) {
    const start = scan.at;
    const key = scan.key();
    const from = scan.at;
    scan.skipValue('\n');
    entries.push({ key, start, from, to: scan.at, value: text.slice(from, scan.at).trim() });
  }
  return entries;
}

/// The text of a key's value, or undefined.
export function valueOf(text, key) {
  return readEntries(text).find((entry) => entry.key === key)?.value;
}

/// The elements of a list as they are written.
export function listItems(value) {
  if (!value?.startsWith('[')) return [];
  const items = [];
  const scan = new Scan(value.slice(1, -1));
  while (scan.goToItem()) {
    const from = scan.at;
    scan.skipValue(',');
    items.push(scan.text.slice(from, scan.at).trim());
    scan.at += 1;
  }
  return items;
}

/// The text that a string of TOML stands for.
export function plainText(value) {
  if (!value) return '';
  const quotes = ['"""', "'''", '"', "'"].find((one) => value.startsWith(one));
  if (!quotes) return value;
  const inner = value.slice(quotes.length, -quotes.length);
  if (quotes.startsWith("'")) return inner;
  const oneLine = inner.replace(/\\\s*\n\s*/g, '').replaceAll('\n', '\\n').replace(/\\U[0-9A-Fa-f]{8}/g, wide);
  return JSON.parse(`"${quotes === '"' ? oneLine : oneLine.replace(/(?<!\\)"/g, '\\"')}"`);
}

const wide = (escape) => JSON.stringify(String.fromCodePoint(parseInt(escape.slice(2), 16))).slice(1, -1);

/// The text with another value of a key; null removes the key.
export function withValue(text, key, value) {
  const entry = readEntries(text).find((one) => one.key === key);
  if (entry && value !== null) return `${text.slice(0, entry.from)}${value}${text.slice(entry.from + text.slice(entry.from, entry.to).trimEnd().length)}`;
  if (entry) return text.slice(0, entry.start) + text.slice(entry.to).replace(/^[^\n]*\n?/, '');
  return value === null ? text : `${text.trimEnd()}\n${key} = ${value}\n`;
}

/// Inline tables as a list, each on its own line; null if there is none.
export function listText(items) {
  return items.length ? `[\n${items.map((item) => `  ${item},\n`).join('')}]` : null;
}

class Scan {
  at = 0;

  constructor(text) {
    this.text = text;
  }

  /// Goes to the next key, past blank lines, comments and the heads of tables.
  goToKey() {
    this.#pass(/(?:\s+|#[^\n]*|\[[^\n]*)*/y);
    return this.at < this.text.length;
  }

  goToItem() {
    this.#pass(/(?:\s+|#[^\n]*|,)*/y);
    return this.at < this.text.length;
  }

  /// Reads a key, and goes to its value.
  key() {
    const [whole, name] = this.#pass(/\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s=]*)\s*=?[ \t]*/y);
    if (!whole) this.at = this.text.length;
    return plainText(name) || name;
  }

  /// Goes to the end of a value: to `end` or a comment outside strings and brackets.
  skipValue(end) {
    let depth = 0;
    while (this.at < this.text.length) {
      const character = this.text[this.at];
      if (depth === 0 && (character === end || (end === '\n' && character === '#'))) return;
      if (character === '#') this.#pass(/#[^\n]*/y);
      else if (character === '"' || character === "'") this.#string();
      else {
        if ('[{'.includes(character)) depth += 1;
        if (']}'.includes(character)) depth -= 1;
        this.at += 1;
      }
    }
  }

  #string() {
    const [whole] = this.#pass(/"""(?:[^\\]|\\[^])*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y);
    if (!whole) this.at += 1;
  }

  #pass(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? [''];
    this.at += found[0].length;
    return found;
  }
}
