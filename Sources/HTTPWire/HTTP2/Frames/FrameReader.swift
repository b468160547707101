/// Splits a connection's bytes into frames: a header, then its payload, collected if it must be
/// complete.
///
/// ```
/// header ──▶ streaming (DATA, and what is passed over): pieces as they come ──▶ header
///     └────▶ collecting (all others): once it is whole ──▶ header
/// ```
struct FrameReader: Sendable {
    /// What the reader found.
    enum Piece {
        /// All input was consumed.
        case needsMoreInput
        /// A frame starts; its payload follows.
        case header(FrameHeader)
        /// A part of a streamed payload: a range of the input. `isLast` is set for the last part.
        case part(Range<Int>, isLast: Bool)
        /// A complete payload: a range of the input, or nil if it is in `takeCollected`.
        case payload(Range<Int>?)
    }

    private enum State {
        case header
        case streaming(left: Int)
        case collecting(byteCount: Int)
    }

    private var state = State.header
    /// The bytes received so far of a header, or of a payload to be collected.
    private var collected: [UInt8] = []

    /// Streams the payload of the frame that has just started, in the parts in which it is
    /// received.
    mutating func stream(_ header: FrameHeader) { state = .streaming(left: header.length) }

    /// Collects the payload of the frame that has just started until it is complete.
    mutating func collect(_ header: FrameHeader) { state = .collecting(byteCount: header.length) }

    /// Whether a frame has been received in part.
    var isInsideFrame: Bool {
        if case .header = state { !collected.isEmpty } else { true }
    }

    /// How much is to come of a payload that is streamed.
    var streamedByteCountLeft: Int {
        if case .streaming(let left) = state { left } else { 0 }
    }

    /// Returns the next piece of `input` from `offset` on. After a header, call `stream` or
    /// `collect` before the next piece. A payload that was received in several parts is in
    /// `takeCollected`.
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

    /// Appends to `collected` until it has the given number of bytes; returns whether it has.
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

    /// Returns a payload that was received in several parts.
    mutating func takeCollected() -> [UInt8] {
        defer { collected = [] }
        return collected
    }
}
