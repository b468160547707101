// Copies an exchange in the form that is chosen.

import { exchangePath, text } from './api.js';
import { copyText } from './clipboard.js';
import { recall, remember } from './memory.js';
import { state } from './state.js';

const LANGUAGES = [['curl', 'cURL', 'Y'], ['fetch', 'fetch'], ['python', 'Python'], ['swift', 'Swift']];

/// The items of a menu, with a switch for what is left out.
export function copyItems(row) {
  return [
    { text: 'URL', key: 'y', run: () => copyText(row.url ?? '', 'Copied the URL') },
    ...LANGUAGES.map(([name, title, key]) => ({ text: title, key, run: () => copyAs(row.id, name, title) })),
    { text: 'HAR', run: () => copyHAR(row.id) },
    { text: 'Request headers', run: () => copyText(text(exchangePath(row.id, '/head/request')), 'Copied the request headers') },
    { text: 'Response headers', isDisabled: row.status === null, run: () => copyText(text(exchangePath(row.id, '/head/response')), 'Copied the response headers') },
    { text: 'Response body', isDisabled: !row.response_body_bytes, run: () => copyBody(row.id) },
    { text: 'Link to this page', run: () => copyText(linkTo(row.id), 'Copied the link') },
    null,
    { text: 'Without credentials', isChecked: isRedacted(), run: (isOn) => remember('redacts-copies', isOn) },
  ];
}

function isRedacted() {
  return recall('redacts-copies', false) === true;
}

/// Copies the request as code.
export function copyAs(id, name, title) {
  const redact = isRedacted() || undefined;
  const made = text(exchangePath(id, `/copy/${name}`), { query: { redact } });
  return copyText(made, redact ? `Copied as ${title}, without credentials` : `Copied as ${title}`);
}

function copyHAR(id) {
  const redact = isRedacted();
  const made = text('/export', { query: { format: 'har', ids: id, redact } });
  return copyText(made, redact ? 'Copied as HAR, without credentials' : 'Copied as HAR');
}

function copyBody(id) {
  return copyText(text(exchangePath(id, '/body/response'), { query: { decoded: true } }), 'Copied the response body');
}

function linkTo(id) {
  const place = new URL(state.address());
  const values = new URLSearchParams(place.hash.slice(1));
  values.set('exchange', id);
  return `${place.origin}${place.pathname}#${values}`;
}
