// The body of a request that is composed: pairs of a form, parts, JSON, text, or as it was recorded.

import { binary, boundaryOf, fileContent, filePair, newBoundary, readParts, writeParts } from './compose-multipart.js';
import { readPairs, writePairs } from './compose-pairs.js';
import { isCutHere } from './cut-body.js';
import { button, el } from './dom.js';
import { bytes } from './format.js';
import { PairEditor } from './pair-editor.js';
import { TextBody } from './text-body.js';

const KINDS = [['none', 'None'], ['form', 'Form'], ['multipart', 'Multipart'], ['json', 'JSON'], ['text', 'Text'], ['recorded', 'As recorded']];
const FITTING = {
  json: /[/+]json\b/i, multipart: /boundary=/i, form: /x-www-form-urlencoded/i, text: /^(?!.*(json|form-urlencoded|multipart))./i,
};
const TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json', text: 'text/plain; charset=utf-8' };

export class ComposeBody {
  /// - Parameter headers: The editor of the headers, which have the Content-Type.
  constructor(exchange, given, headers, changed) {
    Object.assign(this, { headers, changed });
    const message = exchange?.request ?? { body_text: given?.body ?? '', body_bytes: given?.body?.length ?? 0 };
    this.recordedBytes = exchange ? message.body_bytes : 0;
    const isWhole = !exchange || !(isCutHere(exchange, 'request') || message.body_truncated);
    this.before = isWhole ? (message.body_text ?? null) : null;
    this.bytes = isWhole && message.body_base64 ? atob(message.body_base64) : null;
    this.recordedType = headers.valueOf('content-type');
    this.text = new TextBody(this.before ?? '', { isJSON: () => this.kind === 'json', changed, rows: 16 });
    this.form = new PairEditor('Field', [], { changed });
    this.parts = new PairEditor('Part', [], { changed, decorate: (row) => this.#addFileButton(row) });
    this.place = el('div', { class: 'compose-body' });
    const kinds = KINDS.map(([name, title]) => button(title, () => this.choose(name), { data: { kind: name } }));
    this.kinds = el('div', { class: 'segmented', role: 'group', 'aria-label': 'Kind of body' }, kinds);
    this.element = el('div', { class: 'fields' }, this.kinds, this.place);
    this.#show(this.#recordedKind(message));
  }

  #recordedKind(message) {
    if (!message.body_bytes && !message.body_text) return 'none';
    const type = this.recordedType ?? '';
    if (boundaryOf(type) && (this.before !== null || this.bytes !== null)) return 'multipart';
    if (this.before === null) return 'recorded';
    if (/x-www-form-urlencoded/i.test(type)) return 'form';
    return /[/+]json\b/i.test(type) ? 'json' : 'text';
  }

  /// Chooses another kind, which takes over what was written if it can, and sets the Content-Type.
  choose(kind) {
    if (kind === this.kind) return;
    if (this.kind === 'form') this.text.text = writePairs(this.form.pairs);
    this.#show(kind);
    this.#setType(kind);
    this.changed();
  }

  #show(kind) {
    this.kind = kind;
    for (const one of this.kinds.children) {
      one.setAttribute('aria-pressed', String(one.dataset.kind === kind));
      one.hidden = one.dataset.kind === 'recorded' && this.recordedBytes === 0;
    }
    if (kind === 'form') this.form.set(readPairs(this.text.text));
    if (kind === 'multipart') this.parts.set(this.#recordedParts());
    this.text.check();
    this.place.replaceChildren({
      none: el('p', { class: 'dim' }, 'The request has no body.'),
      form: this.form.element, multipart: this.parts.element, json: this.text.element, text: this.text.element,
      recorded: el('p', { class: 'dim' }, `The ${bytes(this.recordedBytes)} of the recorded body are sent as they were.`),
    }[kind]);
  }

  #recordedParts() {
    const boundary = boundaryOf(this.recordedType);
    const content = this.bytes ?? (this.before === null ? null : binary(this.before));
    return boundary && content !== null ? readParts(content, boundary) : [];
  }

  #setType(kind) {
    const now = this.headers.valueOf('content-type') ?? '';
    if (FITTING[kind]?.test(now)) return;
    if (kind === 'none') this.headers.put('Content-Type', null);
    else if (kind === 'recorded') this.headers.put('Content-Type', this.recordedType ?? null);
    else this.headers.put('Content-Type', TYPES[kind] ?? `multipart/form-data; boundary=${newBoundary()}`);
  }

  #addFileButton(row) {
    const input = el('input', { type: 'file', hidden: true, on: { change: () => input.files[0] && take(input.files[0]) } });
    const take = async (file) => {
      const chosen = { filename: file.name, type: file.type || 'application/octet-stream', data: await fileContent(file) };
      row.take(filePair(chosen));
    };
    row.element.classList.add('has-file');
    row.element.insertBefore(button('File…', () => input.click(), { class: 'quiet', title: 'Send a file' }), row.remove);
    row.element.append(input);
    row.value.readOnly = Boolean(row.pair?.file);
  }

  /// Whether a body that should be JSON is not.
  get isWrong() {
    return this.kind === 'json' && this.text.isWrong;
  }

  /// What can be typed, for telling whether anything was.
  get written() {
    return [this.kind, this.text.text, ...this.form.pairs, ...this.parts.pairs].map((one) => (one.name === undefined ? one : [one.name, one.value]));
  }

  /// The members of the request for the body. A recorded one that was not changed is sent as it was.
  members() {
    const { kind } = this;
    if (kind === 'recorded') return {};
    if (kind === 'none') return this.recordedBytes ? { body_text: '' } : {};
    if (kind === 'multipart') return this.#multipart();
    const text = kind === 'form' ? writePairs(this.form.pairs) : this.text.text;
    return this.recordedBytes && text === this.before ? {} : { body_text: text };
  }

  #multipart() {
    const boundary = boundaryOf(this.headers.valueOf('content-type'));
    if (!boundary) throw new SyntaxError('A multipart body needs a Content-Type with a boundary.');
    const { pairs } = this.parts;
    const raw = (parts) => parts.map((part) => part.raw ?? '').join('\0');
    const isSame = boundary === boundaryOf(this.recordedType) && raw(pairs) === raw(this.#recordedParts());
    return isSame && this.recordedBytes ? {} : { body_base64: btoa(writeParts(pairs, boundary)) };
  }
}
