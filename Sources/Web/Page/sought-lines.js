// Where in a long body is what a filter seeks.

import { exchangePath, json } from './api.js';

const LINES_A_PAGE = 5000;
const PAGES_MAX = 20;
const LINES_BEFORE = 20;

/// The line from which a body is shown, so that the first place is on its first page; null if it
/// is not in the lines from `from`, or too far away.
export async function startOfSought(exchange, part, { viewer, from, pattern, signal }) {
  let next = from;
  for (let page = 0; page < PAGES_MAX && typeof next === 'number'; page += 1) {
    const query = { viewer, from: next, count: LINES_A_PAGE };
    const view = await json(exchangePath(exchange.id, `/view/${part}`), { query, signal });
    const found = view.lines.find((line) => line.spans.some((span) => span.text.search(pattern) >= 0));
    if (found) return Math.max(0, found.number - LINES_BEFORE);
    next = view.next;
  }
  return null;
}
