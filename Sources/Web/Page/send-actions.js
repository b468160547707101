// Sends requests again: as they were, or edited.

import { exchangePath, json } from './api.js';
import { notifyProblem, notifyProgress } from './notices.js';
import { opened } from './sent.js';

/// Opens the composer on a copy of a request. A row has no headers and no body, which are read first.
export async function editAndSend(row) {
  try {
    const [{ openComposer }, exchange] = await Promise.all([import('./composer.js'), row.request ? row : json(exchangePath(row.id))]);
    openComposer(exchange);
  } catch (problem) {
    notifyProblem(problem);
  }
}

/// Sends the request again, byte for byte, and opens the new exchange.
export async function replay(id) {
  const done = notifyProgress(`Sending ${id} again`);
  try {
    opened(await json(exchangePath(id, '/replay'), { method: 'POST', body: { exact: true } }), { original: id, say: done });
  } catch (problem) {
    done(problem.message, { kind: 'bad' });
  }
}
