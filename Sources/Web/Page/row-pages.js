// Single pages of rows, always in the order in which they are shown.

import { json } from './api.js';

/// Reads a page: `top`, `bottom`, `after` or `before` a position, or near a `share` of the list.
export async function pageOf(source, step, signal) {
  const { filter, sort } = source;
  const query = { limit: step.limit, filter: filter || undefined };
  if (sort) return sortedPage(query, sort, step, signal);
  if (step.share !== undefined) return pageNear(query, step.share, signal);
  if (step.top) return rows({ ...query, order: 'asc' }, signal);
  if (step.after) return rows({ ...query, after: step.after }, signal);
  if (step.before) query.before = step.before;
  return (await rows(query, signal)).reverse();
}

async function sortedPage(query, { column, order }, step, signal) {
  const other = order === 'asc' ? 'desc' : 'asc';
  const sorted = { ...query, sort: column, order };
  if (step.bottom) return (await rows({ ...sorted, order: other }, signal)).reverse();
  if (step.after) return rows({ ...sorted, after: step.after }, signal);
  if (step.before) return (await rows({ ...sorted, before: step.before }, signal)).reverse();
  return rows(sorted, signal);
}

/// Ids grow in the order of capture, so a share of their range leads near a share of the list. In
/// a central store they are not numbers, and times are used instead.
async function pageNear(query, share, signal) {
  const [oldest, newest] = await Promise.all([
    rows({ ...query, limit: 1, order: 'asc' }, signal), rows({ ...query, limit: 1 }, signal),
  ]);
  if (oldest.length === 0 || newest.length === 0) return [];
  const start = startAt(oldest[0], newest[0], share);
  const filter = query.filter ? `(${query.filter}) ${start}` : start;
  return rows({ ...query, filter, order: 'asc' }, signal);
}

function startAt(oldest, newest, share) {
  const between = (low, high) => Math.round(low + (high - low) * share);
  const [low, high] = [Number(oldest.id), Number(newest.id)];
  if (!Number.isNaN(low)) return `id>=${between(low, high)}`;
  const time = between(Date.parse(oldest.started_at), Date.parse(newest.started_at));
  return `time>=${new Date(time).toISOString()}`;
}

async function rows(query, signal) {
  return (await json('/exchanges', { query, signal })).exchanges;
}
