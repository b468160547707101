// How a gRPC call ended: with a status of its own beside that of HTTP.

import { grpcStatusText } from './codes.js';

/// The status with the server's message, such as `5 NOT_FOUND: no such user`, or null.
export function grpcStatus(exchange) {
  if (typeof exchange.grpc_status !== 'number') return null;
  const status = grpcStatusText(exchange.grpc_status);
  const why = messageOf(exchange.response);
  return why ? `${status}: ${why}` : status;
}

/// The status if it is a failure.
export function grpcFailure(exchange) {
  return exchange.grpc_status ? grpcStatus(exchange) : null;
}

/// The message is in the trailers, or in the head of a response without a body.
function messageOf(response) {
  const lines = [...(response?.trailers ?? []), ...(response?.headers ?? [])];
  const line = lines.find(([name]) => name.toLowerCase() === 'grpc-message');
  return line ? percentDecoded(line[1]) : '';
}

/// Broken sequences stay as they are: a message is never dropped.
function percentDecoded(text) {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const bytes = run.slice(1).split('%').map((digits) => parseInt(digits, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}
