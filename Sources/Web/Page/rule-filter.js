// The filter of a rule that is made from an exchange.

import { filterValue } from './format.js';

/// A filter for exchanges like this one: its host, method and path.
export function filterLike(row) {
  const tests = [['host', row.host], ['method', row.method], ['path', row.path]];
  return tests.filter(([, value]) => value).map(([field, value]) => `${field}=${filterValue(value)}`).join(' ');
}
