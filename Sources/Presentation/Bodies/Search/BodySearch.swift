/// Searches a whole body, piece by piece.
package struct BodySearch {
    /// The search direction.
    package enum Direction: Sendable, Hashable {
        case forward, backward
    }

    /// The number of bytes examined between two checks whether to go on.
    package static let windowByteCount = 256 << 10

    private let needle: BodyNeedle
    private let source: any BodySource
    /// Makes more of the body available, up to a number of bytes.
    private let load: (Int) -> Void
    private let isCancelled: () -> Bool
    private let progress: (Int) -> Void

    /// Creates a search that loads more of a body if needed, asks whether to go on, and reports the
    /// offset it has reached.
    package init(
        needle: BodyNeedle, source: any BodySource, load: @escaping (Int) -> Void,
        isCancelled: @escaping () -> Bool, progress: @escaping (Int) -> Void
    ) {
        self.needle = needle
        self.source = source
        self.load = load
        self.isCancelled = isCancelled
        self.progress = progress
    }

    /// The first match that starts in a range, or the last one when searching backward.
    package func match(in range: Range<Int>, _ direction: Direction) -> Range<Int>? {
        switch direction {
        case .forward: return forward(range.lowerBound, range.upperBound)
        case .backward:
            if range.upperBound > source.extent.byteCount { load(range.upperBound) }
            return backward(range.lowerBound, min(range.upperBound, source.extent.byteCount))
        }
    }

    /// The first match that starts at or after `start` and before `end`.
    private func forward(_ start: Int, _ end: Int) -> Range<Int>? {
        var start = start
        while start < end, !isCancelled() {
            let window = window(start)
            let starts = 0..<min(BodySearch.windowByteCount, window.count, end - start)
            if let found = needle.first(in: window.span, starts) {
                return found.lowerBound + start..<found.upperBound + start
            }
            if window.count <= BodySearch.windowByteCount {
                // There is nothing after the examined bytes.
                return nil
            }
            start += BodySearch.windowByteCount
            progress(start)
        }
        return nil
    }

    /// The last match that starts at or after `start` and before `end`.
    private func backward(_ start: Int, _ end: Int) -> Range<Int>? {
        var end = end
        while end > start, !isCancelled() {
            let lower = max(start, end - BodySearch.windowByteCount)
            let window = source.read(
                from: lower, byteCount: end - lower + needle.byteCount - 1)
            if let found = needle.last(in: window.span, 0..<min(end - lower, window.count)) {
                return found.lowerBound + lower..<found.upperBound + lower
            }
            end = lower
            progress(end)
        }
        return nil
    }

    /// A window, with enough bytes after it that a match on its border is complete.
    private func window(_ start: Int) -> [UInt8] {
        let count = BodySearch.windowByteCount + needle.byteCount
        let extent = source.extent
        if !extent.isComplete, start + count > extent.byteCount {
            // In growing steps, so that the available bytes are skipped only a few times.
            load(max(start + count, extent.byteCount * 4, 4 << 20))
        }
        return source.read(from: start, byteCount: count)
    }
}
