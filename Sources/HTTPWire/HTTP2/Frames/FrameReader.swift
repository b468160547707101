/// Cuts a connection's bytes into frames: a header, then its payload, whole where it must be.
///
/// ```
/// header ──▶ streaming (DATA, and what is passed over): pieces as they come ──▶ header
///     └────▶ collecting (all others): once it is whole ──▶ header
/// ```
struct FrameReader: Sendable {
    /// What was found.
    enum Piece {
        /// All input was taken.
        case needsMoreInput
        /// A frame begins; its payload follows.
        case header(FrameHeader)
        /// A part of a payload that comes as it comes: a range of the input. `isLast` with its end.
        case part(Range<Int>, isLast: Bool)
        /// A whole payload: a range of the input, or `takeCollected` where that is nil.
        case payload(Range<Int>?)
    }

    private enum State {
        case header
        case streaming(left: Int)
        case collecting(byteCount: Int)
    }

    private var state = State.header
    /// What came of a header or a payload that is to be whole.
    private var collected: [UInt8] = []

    /// Takes the payload of the frame that has just begun as it comes.
    mutating func stream(_ header: FrameHeader) { state = .streaming(left: header.length) }

    /// Waits for the whole payload of the frame that has just begun.
    mutating func collect(_ header: FrameHeader) { state = .collecting(byteCount: header.length) }

    /// Whether a frame has begun and is not complete.
    var isInsideFrame: Bool {
        if case .header = state { !collected.isEmpty } else { true }
    }

    /// The next piece of `input` from `offset` on. After a header, `stream` or `collect` is called
    /// before the next piece; a payload that came in pieces is in `takeCollected`.
    mutating func next(_ input: Span<UInt8>, from offset: inout Int) -> Piece {
        switch state {
        case .header: return header(input, from: &offset)
        case .streaming(let left):
            let count = min(left, input.count &- offset)
            guard count > 0 || left == 0 else { return .needsMoreInput }
            let range = offset..<(offset &+ count)
            offset &+= count
            state = count == left ? .header : .streaming(left: left &- count)
            return .part(range, isLast: count == left)
        case .collecting(let byteCount):
            return payload(input, from: &offset, byteCount: byteCount)
        }
    }

    private mutating func header(_ input: Span<UInt8>, from offset: inout Int) -> Piece {
        let left = input.count &- offset
        if collected.isEmpty, left >= FrameHeader.byteCount {
            let header = FrameHeader(input.extracting(offset..<(offset &+ FrameHeader.byteCount)))
            offset &+= FrameHeader.byteCount
            return .header(header)
        }
        guard keep(input, from: &offset, upTo: FrameHeader.byteCount) else {
            return .needsMoreInput
        }
        defer { collected = [] }
        return .header(FrameHeader(collected.span))
    }

    private mutating func payload(
        _ input: Span<UInt8>, from offset: inout Int, byteCount: Int
    ) -> Piece {
        if collected.isEmpty, input.count &- offset >= byteCount {
            let range = offset..<(offset &+ byteCount)
            offset &+= byteCount
            state = .header
            return .payload(range)
        }
        guard keep(input, from: &offset, upTo: byteCount) else { return .needsMoreInput }
        state = .header
        return .payload(nil)
    }

    /// Adds to `collected` until it has so many bytes; says whether it has.
    private mutating func keep(
        _ input: Span<UInt8>, from offset: inout Int, upTo byteCount: Int
    ) -> Bool {
        let count = min(byteCount &- collected.count, input.count &- offset)
        if count > 0 {
            input.extracting(offset..<(offset &+ count)).withUnsafeBufferPointer {
                collected.append(contentsOf: $0)
            }
            offset &+= count
        }
        return collected.count == byteCount
    }

    /// Hands out a payload that came in pieces.
    mutating func takeCollected() -> [UInt8] {
        defer { collected = [] }
        return collected
    }
}
