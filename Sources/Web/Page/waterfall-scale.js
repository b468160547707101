// The axis of the waterfall: moments become pixels. Long times without any exchange are folded, so
// that the bars on both sides of them stay readable.

/// A fold is as wide as this if there is room, and at least `FOLD_MIN`.
const FOLD_WIDTH = 16;
const FOLD_MIN = 6;
/// How much of the axis folds may take in all.
const FOLDS_SHARE = 0.3;
/// A gap is folded if it is longer than this part of the time in which something happens.
const GAP_SHARE = 0.25;
/// Rows that take much longer than the others do not squeeze them: one in ten, if the axis were
/// otherwise more than this many times as long.
const OUTLIER_FACTOR = 4;
const TICK_GAP = 84;
const TICKS_MAX = 60;

/// The start and the end of a row, in milliseconds since 1970. The time in holds is no part of the
/// duration, and an exchange that has not ended goes on.
export function spanOf(row) {
  const start = Date.parse(row.started_at);
  if (row.state === 'active') return { start, end: Math.max(start, Date.now()) };
  return { start, end: start + (row.duration_ms ?? 0) + (row.held_ms ?? 0) };
}

export class TimeScale {
  /// `range` is the chosen start and end, or null for all of the time; `isWhole` says whether that
  /// includes the ends of rows that take far longer than the others.
  constructor(rows, { left, width, range = null, isWhole = false }) {
    const spans = rows.map(spanOf);
    const most = isWhole ? spans : withoutOutliers(spans);
    this.isClipped = !range && most !== spans;
    const blocks = blocksOf(most);
    this.whole = { start: blocks[0]?.start ?? 0, end: Math.max(blocks.at(-1)?.end ?? 0, (blocks[0]?.start ?? 0) + 0.01) };
    const domain = range ?? this.whole;
    const gaps = foldedGaps(blocks, domain, width);
    const foldWidth = Math.max(FOLD_MIN, Math.min(FOLD_WIDTH, (FOLDS_SHARE * width) / Math.max(1, gaps.length)));
    const length = domain.end - domain.start - gaps.reduce((sum, gap) => sum + gap.end - gap.start, 0);
    this.perMs = Math.max(1, width - gaps.length * foldWidth) / length;
    this.left = left;
    this.right = left + width;
    this.#divide(domain, gaps, foldWidth);
  }

  /// Divides the axis into parts with times, and folds between them.
  #divide(domain, gaps, foldWidth) {
    this.parts = [];
    this.folds = [];
    let [start, left] = [domain.start, this.left];
    for (const end of [...gaps.map((gap) => gap.start), domain.end]) {
      const right = left + (end - start) * this.perMs;
      this.parts.push({ start, end, left, right });
      const gap = gaps[this.folds.length];
      if (!gap) break;
      this.folds.push({ left: right, width: foldWidth, length: gap.end - gap.start, ...gap });
      [start, left] = [gap.end, right + foldWidth];
    }
  }

  /// Where a moment is, in pixels; outside the axis, too.
  position(moment) {
    for (const [index, part] of this.parts.entries()) {
      const isLast = index === this.parts.length - 1;
      if (moment <= part.end || isLast) return part.left + (moment - part.start) * this.perMs;
      const next = this.parts[index + 1];
      if (moment < next.start) return part.right + ((moment - part.end) / (next.start - part.end)) * (next.left - part.right);
    }
    return this.left;
  }

  /// Whether a moment is in time that is folded.
  isFolded(moment) {
    return this.folds.some((fold) => moment > fold.start && moment < fold.end);
  }

  /// The moment at a place.
  moment(position) {
    for (const [index, part] of this.parts.entries()) {
      const next = this.parts[index + 1];
      if (!next || position <= part.right) return part.start + (position - part.left) / this.perMs;
      if (position < next.left) return part.end + ((position - part.right) / (next.left - part.right)) * (next.start - part.end);
    }
    return 0;
  }

  /// The ticks of the axis: at the start of each part its time, then how much later it is.
  ticks() {
    const step = niceStep(TICK_GAP / this.perMs);
    const all = [];
    for (const part of this.parts) {
      const count = Math.floor((part.end - part.start) / step);
      for (let index = 0; index <= count && all.length < TICKS_MAX; index += 1) {
        const offset = index * step;
        all.push({ position: part.left + offset * this.perMs, offset, moment: part.start + offset });
      }
    }
    return all;
  }
}

/// A round number that is at least `wanted`: 1, 2 or 5 times a power of ten, and from a second on
/// what clocks count in.
export function niceStep(wanted) {
  const clock = [2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 12e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5];
  const round = wanted > 1e4 && clock.find((step) => step >= wanted);
  if (round) return round;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((step) => step >= wanted * 0.999);
}

/// The spans with those that take far longer than the others cut, or the same list if none does.
function withoutOutliers(spans) {
  if (spans.length < 4) return spans;
  const lengths = spans.map(({ start, end }) => end - start).sort((a, b) => a - b);
  const usual = lengths[lengths.length - 1 - Math.max(1, Math.floor(lengths.length / 10))];
  const cut = spans.map(({ start, end }) => ({ start, end: Math.min(end, start + usual) }));
  return busyTime(blocksOf(spans)) > OUTLIER_FACTOR * busyTime(blocksOf(cut)) ? cut : spans;
}

/// The times in which something happens, in order.
function blocksOf(spans) {
  const blocks = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = blocks.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else blocks.push({ start, end });
  }
  return blocks;
}

function busyTime(blocks) {
  return blocks.reduce((sum, { start, end }) => sum + end - start, 0);
}

/// The gaps that are folded, in order: as many of the longest as there is room for.
function foldedGaps(blocks, domain, width) {
  const inside = blocks.map(({ start, end }) => ({ start: Math.max(start, domain.start), end: Math.min(end, domain.end) }))
    .filter(({ start, end }) => start <= end);
  const shortest = GAP_SHARE * Math.max(1, busyTime(inside));
  const gaps = inside.slice(1).map((block, index) => ({ start: inside[index].end, end: block.start }))
    .filter(({ start, end }) => end - start > shortest);
  const most = Math.floor((FOLDS_SHARE * width) / FOLD_MIN);
  const kept = gaps.sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, Math.max(0, most));
  return kept.sort((a, b) => a.start - b.start);
}
