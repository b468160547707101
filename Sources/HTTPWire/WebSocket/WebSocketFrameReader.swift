/// Splits one direction of a WebSocket into frames (RFC 6455 §5.2): a header, then its payload as
/// it is received. It stores only the bytes of an incomplete header, whatever length a frame
/// announces, and does not check frames; `WebSocketFrameRules` does that.
///
/// ```
/// header ──▶ payload: pieces as they come, at least one ──▶ header
/// ```
public struct WebSocketFrameReader: Sendable {
    /// What the reader found.
    public enum Piece: Sendable, Hashable {
        /// All input was consumed.
        case needsMoreInput
        /// A frame starts; its payload follows, as one empty piece if it is empty.
        case header(WebSocketFrameHeader)
        /// A part of the payload: a range of the input, still masked. `isLast` is set for the last
        /// part.
        case payload(Range<Int>, isLast: Bool)
    }

    private enum State {
        case header
        case payload(left: UInt64)
    }

    private var state = State.header
    /// The bytes received so far of an incomplete header.
    private var collected = InlineArray<14, UInt8>(repeating: 0)
    private var collectedCount = 0
    /// The mask, positioned at the start of the piece returned last.
    private var mask: WebSocketMask?
    /// The size of that piece in bytes.
    private var pieceByteCount = 0

    /// Creates a reader for a new connection.
    public init() {}

    /// Whether a frame has been received in part.
    public var isInsideFrame: Bool {
        if case .header = state { collectedCount > 0 } else { true }
    }

    /// Returns the next piece of `input` from `offset` on, and moves `offset` past it. Call it
    /// until it returns `needsMoreInput`; `offset` is then the input's count.
    public mutating func next(_ input: Span<UInt8>, from offset: inout Int) -> Piece {
        guard case .payload(let left) = state else { return header(input, from: &offset) }
        let available = max(0, input.count &- offset)
        guard available > 0 || left == 0 else { return .needsMoreInput }
        let count = Int(truncatingIfNeeded: min(left, UInt64(truncatingIfNeeded: available)))
        let range = offset..<(offset &+ count)
        offset &+= count
        let rest = left &- UInt64(truncatingIfNeeded: count)
        state = rest == 0 ? .header : .payload(left: rest)
        mask?.skip(pieceByteCount)
        pieceByteCount = count
        return .payload(range, isLast: rest == 0)
    }

    /// Appends the payload piece returned last to `output`, unmasked.
    /// - Parameter range: the range of the piece, or one with the same start.
    public func append(_ range: Range<Int>, of input: Span<UInt8>, to output: inout [UInt8]) {
        let piece = input.extracting(range)
        if var mask {
            mask.append(piece, to: &output)
        } else {
            piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    private mutating func header(_ input: Span<UInt8>, from offset: inout Int) -> Piece {
        if collectedCount == 0, let header = WebSocketFrameHeader(input, at: offset) {
            offset &+= header.byteCount
            return begin(header)
        }
        while offset < input.count, collectedCount < collected.count {
            collected[collectedCount] = input[offset]
            collectedCount &+= 1
            offset &+= 1
            if let header = collectedHeader { return begin(header) }
        }
        return .needsMoreInput
    }

    private var collectedHeader: WebSocketFrameHeader? {
        WebSocketFrameHeader(collected.span.extracting(0..<collectedCount), at: 0)
    }

    private mutating func begin(_ header: WebSocketFrameHeader) -> Piece {
        collectedCount = 0
        pieceByteCount = 0
        mask = header.maskingKey.map(WebSocketMask.init)
        state = .payload(left: header.payloadByteCount)
        return .header(header)
    }
}
