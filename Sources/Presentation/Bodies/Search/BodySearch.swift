/// Looks through a whole body, piece by piece.
package struct BodySearch {
    /// Which way to look.
    package enum Direction: Sendable, Hashable {
        case forward, backward
    }

    /// Octets looked at between two questions whether to go on.
    package static let windowByteCount = 256 << 10

    private let needle: BodyNeedle
    private let source: any BodySource
    /// Makes more of the body known, up to so many octets.
    private let load: (Int) -> Void
    private let isCancelled: () -> Bool
    private let progress: (Int) -> Void

    /// A search that makes more of a body known where it has to, asks whether to go on, and
    /// tells up to which offset it has looked.
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

    /// The first match that begins in a range, or the last one for the way back.
    package func match(in range: Range<Int>, _ direction: Direction) -> Range<Int>? {
        switch direction {
        case .forward: return forward(range.lowerBound, range.upperBound)
        case .backward:
            if range.upperBound > source.extent.byteCount { load(range.upperBound) }
            return backward(range.lowerBound, min(range.upperBound, source.extent.byteCount))
        }
    }

    /// The first match that begins from `start` to in front of `end`.
    private func forward(_ start: Int, _ end: Int) -> Range<Int>? {
        var start = start
        while start < end, !isCancelled() {
            let window = window(start)
            let starts = 0..<min(BodySearch.windowByteCount, window.count, end - start)
            if let found = needle.first(in: window.span, starts) {
                return found.lowerBound + start..<found.upperBound + start
            }
            if window.count <= BodySearch.windowByteCount {
                // Nothing lies behind what was looked at.
                return nil
            }
            start += BodySearch.windowByteCount
            progress(start)
        }
        return nil
    }

    /// The last match that begins from `start` to in front of `end`.
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

    /// A window, and so much behind it that a match on its border is whole.
    private func window(_ start: Int) -> [UInt8] {
        let count = BodySearch.windowByteCount + needle.byteCount
        let extent = source.extent
        if !extent.isComplete, start + count > extent.byteCount {
            // In growing steps, so that what is known is passed over only a few times.
            load(max(start + count, extent.byteCount * 4, 4 << 20))
        }
        return source.read(from: start, byteCount: count)
    }
}
