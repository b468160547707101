// Requests to the server of this page.

import { currentToken } from './token.js';

/// The page of a file that is looked into has an interface of its own, below its own address.
const ROOT = `${location.pathname.replace(/[^/]*$/, '')}api/v1`;

/// What the server says is wrong (RFC 9457), or that it cannot be reached (status 0).
export class Problem extends Error {
  constructor(status, detail, column = null) {
    super(detail);
    this.status = status;
    this.column = column;
  }
}

/// The address of a route, with the parameters of its query.
export function address(path, query = {}) {
  return ROOT + path + queryText(query);
}

/// Sends a request and returns the response if it is successful.
/// - Throws: `Problem`, or `AbortError` if `signal` ends it.
export async function send(path, { method = 'GET', query = {}, body, signal } = {}) {
  const headers = { Authorization: `Bearer ${currentToken() ?? ''}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(address(path, query), {
      method, headers, signal, cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, 'proxyctl web does not answer. Is it still running?');
  }
  if (response.ok) return response;
  throw await problem(response);
}

/// Sends a request and parses the JSON of the response.
export async function json(path, options) {
  const response = await send(path, options);
  return response.json();
}

export async function text(path, options) {
  const response = await send(path, options);
  return response.text();
}

export async function blob(path, options) {
  const response = await send(path, options);
  return response.blob();
}

/// The path of an exchange, or of a part of it.
export function exchangePath(id, rest = '') {
  return `/exchanges/${encodeURIComponent(id)}${rest}`;
}

function queryText(query) {
  if (query instanceof URLSearchParams) return `?${query}`;
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

async function problem(response) {
  let object = null;
  try {
    object = await response.json();
  } catch {
    // A server in between may answer with something that is not JSON.
  }
  const detail = object?.detail || object?.title || `${response.status} ${response.statusText}`;
  return new Problem(response.status, detail, object?.column ?? null);
}
