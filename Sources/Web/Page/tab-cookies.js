// The tab Cookies: those that were sent and those that were set.

import { cookieTable } from './cookies.js';
import { section } from './section.js';

const TITLES = { request: 'Sent to the server', response: 'Set by the server' };

export function fillCookies(content, exchange) {
  for (const part of ['request', 'response']) {
    const table = cookieTable(exchange, part);
    if (!table) continue;
    table.dataset.part = part;
    content.append(section(TITLES[part], table));
  }
}
