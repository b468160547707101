// The names of codes: how a gRPC call ended, and why a WebSocket was closed.

const GRPC = [
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS',
  'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED',
  'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED',
];

const CLOSING = {
  1000: 'normal closure', 1001: 'going away', 1002: 'protocol error', 1003: 'unsupported data', 1004: 'reserved',
  1005: 'no status received', 1006: 'abnormal closure', 1007: 'invalid payload data', 1008: 'policy violation',
  1009: 'message too big', 1010: 'extension missing', 1011: 'internal error', 1012: 'service restart',
  1013: 'try again later', 1014: 'bad gateway', 1015: 'TLS handshake failed', 3000: 'unauthorized', 3003: 'forbidden',
  3008: 'timeout',
};

/// A gRPC status, such as `5 NOT_FOUND`.
export function grpcStatusText(number) {
  return GRPC[number] ? `${number} ${GRPC[number]}` : String(number);
}

/// The code of a close frame, such as `1000 normal closure`.
export function closeCodeText(code) {
  const kind = code >= 4000 ? 'private use' : code >= 3000 ? 'registered by a library' : '';
  const name = CLOSING[code] ?? kind;
  return name ? `${code} ${name}` : String(code);
}
