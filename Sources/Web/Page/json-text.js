// Reads JSON for the tree. Numbers keep the text they were written with, because those with more
// than 15 digits would change otherwise; names that occur twice both stay.

const DEPTH_MAX = 500;

/// A node: `kind` is object, array, string, number or word. Objects and arrays have `items`, each
/// with `name` and `node`; others have `text`.
/// - Throws: `SyntaxError` if the text is not JSON; its `at` is the place in the text.
export function readJSON(text) {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.space();
  if (reader.at < text.length) reader.refuse('the end of the text');
  return node;
}

/// The node of a member, or undefined.
export function member(node, name) {
  return node?.items?.find((item) => item.name === name)?.node;
}

/// The value of a node, where digits beyond the 15th do not matter.
export function plainValue(node) {
  if (node.kind === 'object') return Object.fromEntries(node.items.map((item) => [item.name, plainValue(item.node)]));
  if (node.kind === 'array') return node.items.map((item) => plainValue(item.node));
  return node.kind === 'string' ? node.text : JSON.parse(node.text);
}

/// A node as text on one line.
export function writeJSON(node) {
  if (node.kind === 'object') return `{${node.items.map((item) => `${JSON.stringify(item.name)}:${writeJSON(item.node)}`).join(',')}}`;
  if (node.kind === 'array') return `[${node.items.map((item) => writeJSON(item.node)).join(',')}]`;
  return node.kind === 'string' ? JSON.stringify(node.text) : node.text;
}

class Reader {
  at = 0;

  constructor(text) {
    this.text = text;
  }

  refuse(expected) {
    throw Object.assign(new SyntaxError(`expected ${expected}`), { at: this.at });
  }

  space() {
    this.#match(/[ \t\r\n]*/y);
  }

  value(depth) {
    if (depth > DEPTH_MAX) this.refuse(`at most ${DEPTH_MAX} levels`);
    this.space();
    const character = this.text[this.at];
    if (character === '{') return this.#members('object', '}', depth);
    if (character === '[') return this.#members('array', ']', depth);
    if (character === '"') return { kind: 'string', text: this.#string() };
    const number = this.#match(/-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y);
    if (number) return { kind: 'number', text: number };
    const word = this.#match(/true|false|null/y);
    if (word) return { kind: 'word', text: word };
    return this.refuse('a value');
  }

  #members(kind, end, depth) {
    const items = [];
    this.at += 1;
    this.space();
    if (this.#take(end)) return { kind, items };
    do {
      this.space();
      const name = kind === 'object' ? this.#name() : String(items.length);
      items.push({ name, node: this.value(depth + 1) });
      this.space();
    } while (this.#take(','));
    if (!this.#take(end)) this.refuse(`a comma or ${end}`);
    return { kind, items };
  }

  #name() {
    const name = this.#string();
    this.space();
    if (!this.#take(':')) this.refuse('a colon');
    return name;
  }

  #string() {
    const literal = this.#match(/"(?:[^"\\\u0000-\u001f]|\\.)*"/y);
    if (!literal) this.refuse('a name or a text in double quotes');
    try {
      return JSON.parse(literal);
    } catch {
      this.at -= literal.length;
      return this.refuse('a text without unknown escapes');
    }
  }

  #take(character) {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return '';
    this.at = pattern.lastIndex;
    return found[0];
  }
}
