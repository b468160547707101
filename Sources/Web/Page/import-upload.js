// Sends a file to the server. XMLHttpRequest, because fetch does not say how much has been sent.

import { address, Problem } from './api.js';
import { currentToken } from './token.js';

/// Imports a file, or looks into it. `query` is that of the route; `sent(bytes)` is called while the
/// file is sent. Returns what the server answers.
/// - Throws: `Problem`, or `AbortError` if `signal` ends it.
export function upload(file, query, sent, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address('/imports', { name: file.name, ...query }));
    request.setRequestHeader('Authorization', `Bearer ${currentToken() ?? ''}`);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onload = () => {
      const answer = parsed(request.responseText);
      if (request.status === 200 && answer) return resolve(answer);
      reject(new Problem(request.status, answer?.detail ?? answer?.title ?? `${request.status} ${request.statusText}`));
    };
    request.onerror = () => reject(new Problem(0, 'The connection was lost.'));
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
