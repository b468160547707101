// The kinds of rules that have a form of their own: what they ask, and the actions that follow.

import { isCutHere } from './cut-body.js';
import { field } from './dialog.js';
import { el } from './dom.js';
import { headerOf } from './pairs.js';
import { rewriteFields } from './rule-rewrite.js';
import { quoted } from './rule-text.js';

const NETWORKS = [
  ['slow-3g', 'Slow 3G', '500 kbit/s, 400 ms'], ['3g', '3G', '1,600 kbit/s, 300 ms'], ['slow-4g', 'Slow 4G', '1,600 kbit/s, 150 ms'],
  ['fast-4g', 'Fast 4G', '9,000 kbit/s, 60 ms'], ['2g', '2G', '35 kbit/s, 1,300 ms'], ['edge', 'EDGE', '240 kbit/s, 840 ms'],
  ['dsl', 'DSL', '1,500 kbit/s, 50 ms'], ['cable', 'Cable', '5,000 kbit/s, 28 ms'], ['dial-up', 'Dial-up', '49 kbit/s, 120 ms'],
  ['very-bad', 'Very bad', '1,000 kbit/s, 1,000 ms, losses'], ['offline', 'Offline', 'answers 502'],
];

const BLOCKS = [
  ['403', 'Answer 403 Forbidden'], ['404', 'Answer 404 Not Found'], ['429', 'Answer 429 Too Many Requests'], ['503', 'Answer 503 Service Unavailable'],
  ['close', 'Close the connection'], ['reset', 'Reset the connection'], ['hang', 'Never answer'],
];

const MOCK_BODY_MAX = 256 << 10;

/// Each kind: `title`, a sentence on what it does, and `make`, which gets the exchange or null, what
/// is given already and what to call after each change, and returns `content` and `actions()`.
export const KINDS = {
  break: { title: 'Break', says: 'Holds messages until you let them go on, edit or answer them.', make: breakFields },
  map: { title: 'Map to a file', says: 'Answers with a file in place of the server.', make: mapFields },
  mock: { title: 'Mock', says: 'Answers in place of the server, which is not asked.', make: mockFields },
  block: { title: 'Block', says: 'Keeps requests from the server.', make: blockFields },
  throttle: { title: 'Throttle', says: 'Slows traffic down to the speed of a network.', make: throttleFields },
  rewrite: { title: 'Rewrite', says: 'Changes messages while they pass.', make: rewriteFields },
  any: { title: 'New rule', says: 'Acts on what passes the filter.', make: actionFields },
};

function choice(label, options, changed, value = options[0][0]) {
  const select = el('select', { value, on: { change: changed } }, options.map(([name, text]) => el('option', { value: name, selected: name === value }, text)));
  return { select, element: field(label, select) };
}

function numberField(label, value, unit, changed) {
  const input = el('input', { type: 'number', min: '0', value, on: { input: changed } });
  return { input, element: field(`${label}${unit ? `, ${unit}` : ''}`, input) };
}

function breakFields(exchange, given, changed) {
  const phase = choice('What is held', [['request', 'Requests'], ['response', 'Responses'], ['both', 'Requests and responses']], changed, given.phase);
  const limit = numberField('Goes on by itself after', '300', 'seconds', changed);
  const actions = () => {
    const action = limit.input.value && limit.input.value !== '300' ? `{ hold = true, timeout_s = ${limit.input.value} }` : 'hold';
    return { request: phase.select.value === 'response' ? [] : [action], response: phase.select.value === 'request' ? [] : [action] };
  };
  return { content: [el('div', { class: 'field-row' }, phase.element, limit.element)], actions };
}

function blockFields(exchange, given, changed) {
  const how = choice('The client gets', BLOCKS, changed);
  return { content: [how.element], actions: () => ({ request: [`block ${how.select.value}`] }) };
}

function throttleFields(exchange, given, changed) {
  const update = () => {
    own.hidden = network.select.value !== '';
    changed();
  };
  const network = choice('Network', [...NETWORKS.map(([name, title, facts]) => [name, `${title}: ${facts}`]), ['', 'Other values']], update, '3g');
  const down = numberField('Down', '800', 'kbit/s', changed);
  const up = numberField('Up', '200', 'kbit/s', changed);
  const latency = numberField('Round trip', '120', 'ms', changed);
  const own = el('div', { class: 'field-row', hidden: true }, down.element, up.element, latency.element);
  const actions = () => {
    const values = `{ down_kbps = ${down.input.value}, up_kbps = ${up.input.value}, latency_ms = ${latency.input.value} }`;
    return { request: [network.select.value ? `throttle ${network.select.value}` : `{ throttle = ${values} }`] };
  };
  return { content: [network.element, own], actions };
}

function mockFields(exchange, given, changed) {
  // What proxyd answered for a server that is down is not what a mock should say.
  const answered = exchange?.error ? null : exchange;
  const recorded = recordedBody(answered);
  const status = numberField('Status', String(answered?.status ?? 200), '', changed);
  const type = el('input', { type: 'text', value: headerOf(answered?.response, 'content-type') ?? 'application/json', spellcheck: false, on: { input: changed } });
  const body = el('textarea', { rows: 8, value: recorded.text, spellcheck: false, on: { input: changed } });
  const actions = () => {
    const parts = [`respond = ${status.input.value || 200}`];
    if (type.value.trim()) parts.push(`type = ${quoted(type.value.trim())}`);
    if (body.value) parts.push(`body = ${quoted(body.value)}`);
    return { request: [`{ ${parts.join(', ')} }`] };
  };
  return { content: [el('div', { class: 'field-row' }, status.element, field('Content type', type)), field('Body', body, recorded.hint)], actions };
}

/// What the server answered, if that can be edited as text.
function recordedBody(exchange) {
  const response = exchange?.response;
  if (!response?.body_bytes) return { text: '', hint: '' };
  const isWhole = typeof response.body_text === 'string' && response.body_text.length <= MOCK_BODY_MAX
    && !isCutHere(exchange, 'response') && !response.body_truncated;
  return isWhole ? { text: response.body_text, hint: '' } : { text: '', hint: 'What was recorded is too long or not text. Map it to a file instead.' };
}

function mapFields(exchange, given, changed) {
  const hasBody = Boolean(exchange?.response?.body_bytes);
  const path = el('input', { type: 'text', spellcheck: false, placeholder: '/home/me/answer.json', on: { input: changed } });
  const place = field('File or folder', path, 'Read anew for each request. A folder is served by the path of the URL.');
  const source = choice('Answer with', [['new', `The response of exchange ${exchange?.id}, saved to a new file`], ['file', 'A file or folder that is there']], () => {
    place.hidden = source.select.value === 'new';
    changed();
  }, hasBody ? 'new' : 'file');
  place.hidden = hasBody;
  const savesResponse = () => hasBody && source.select.value === 'new';
  return {
    content: [hasBody ? source.element : null, place],
    actions: () => ({ request: path.value.trim() ? [`{ serve = ${quoted(path.value.trim())} }`] : [] }),
    missing: () => (savesResponse() || path.value.trim() ? '' : 'The file or folder is missing.'),
    savesResponse,
  };
}

const EXAMPLES = [
  'hold', 'block 403', 'throttle 3g', 'delay 500', 'set header:X-Env=staging', 'remove query:debug', 'set json:user.name=Ann',
  'send_to https://staging.example.com', 'serve /home/me/site', '{ replace = "body", match = \'a\', with = "b" }', 'tag slow',
];

/// Actions as they are written on the command line, one on each line.
export function actionFields(exchange, given, changed) {
  const lines = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);
  const area = (text) => el('textarea', { rows: 3, spellcheck: false, value: text ?? '', on: { input: changed } });
  const request = area(given.request);
  const response = area(given.response);
  const examples = el('details', { class: 'examples' }, el('summary', {}, 'Examples'), el('ul', {}, EXAMPLES.map((text) => el('li', {}, el('code', {}, text)))));
  return {
    content: [field('Actions on requests', request, 'One on each line'), field('Actions on responses', response, 'One on each line'), examples],
    actions: () => ({ request: lines(request.value), response: lines(response.value) }),
    missing: () => (request.value.trim() || response.value.trim() ? '' : 'An action is missing.'),
  };
}
