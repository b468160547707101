// Events of the server: server-sent events over fetch, because EventSource cannot send the token.

import { send } from './api.js';

const RETRY_MS = [500, 1000, 2000, 5000];

/// Reads events until `signal` ends it, and connects again if the connection is lost.
/// `hear(name, data)` gets each event; `connection(isUp, problem)` tells of gains and losses.
export async function followEvents(hear, connection, signal) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response = await send('/events', { signal });
      failures = 0;
      connection(true, null);
      await readEvents(response.body, hear);
      connection(false, null);
    } catch (problem) {
      if (signal.aborted) return;
      connection(false, problem);
      if (problem.status === 401) return;
    }
    await pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function readEvents(stream, hear) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) readEvent(part, hear);
  }
}

function readEvent(text, hear) {
  let name = 'message';
  const data = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trim());
  }
  if (data.length === 0) return;
  try {
    hear(name, JSON.parse(data.join('\n')));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}
