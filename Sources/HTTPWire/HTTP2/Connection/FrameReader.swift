/// Splits a connection's bytes into frames: a header, then its payload, collected if it must be
/// complete.
///
/// ```
/// header ──▶ streaming (DATA, and what is passed over): pieces as they come ──▶ header
///     └────▶ collecting (all others): once it is whole ──▶ header
/// ```
struct FrameReader: Sendable {
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
        case .collecting(let byteCount): return payload(input, from: &offset, byteCount: byteCount)
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

/// The nine bytes before each frame's payload (RFC 9113 §4.1).
struct FrameHeader: Sendable, Hashable {
    static let byteCount = 9

    /// The length of the payload in bytes.
    var length: Int
    var type: FrameType
    var flags: FrameFlags
    /// The stream identifier; 0 means the connection.
    var stream: UInt32

    init(length: Int, type: FrameType, flags: FrameFlags = [], stream: UInt32 = 0) {
        self.length = length
        self.type = type
        self.flags = flags
        self.stream = stream
    }

    /// Parses nine bytes. The reserved bit is ignored.
    init(_ bytes: Span<UInt8>) {
        length = Int(bytes[0]) &<< 16 | Int(bytes[1]) &<< 8 | Int(bytes[2])
        type = FrameType(rawValue: bytes[3])
        flags = FrameFlags(rawValue: bytes[4])
        stream = bytes.bigEndian(at: 5) & 0x7FFF_FFFF
    }

    /// The length of the frame with this header, in bytes.
    var byteCountInAll: Int { FrameHeader.byteCount &+ length }

    /// Whether the frame announces its sender's settings, i.e. is not an acknowledgement.
    var isSettings: Bool { type == .settings && !flags.contains(.acknowledgement) }

    func write(into output: inout [UInt8]) {
        let bytes: InlineArray<9, UInt8> = [
            UInt8(truncatingIfNeeded: length &>> 16), UInt8(truncatingIfNeeded: length &>> 8),
            UInt8(truncatingIfNeeded: length), type.rawValue, flags.rawValue,
            UInt8(truncatingIfNeeded: stream &>> 24), UInt8(truncatingIfNeeded: stream &>> 16),
            UInt8(truncatingIfNeeded: stream &>> 8), UInt8(truncatingIfNeeded: stream),
        ]
        bytes.span.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
}

/// The type of a frame (RFC 9113 §6). Frames of unknown types are ignored.
struct FrameType: Sendable, Hashable {
    let rawValue: UInt8

    static let data = FrameType(rawValue: 0)
    static let headers = FrameType(rawValue: 1)
    static let priority = FrameType(rawValue: 2)
    static let resetStream = FrameType(rawValue: 3)
    static let settings = FrameType(rawValue: 4)
    static let pushPromise = FrameType(rawValue: 5)
    static let ping = FrameType(rawValue: 6)
    static let goAway = FrameType(rawValue: 7)
    static let windowUpdate = FrameType(rawValue: 8)
    static let continuation = FrameType(rawValue: 9)
    /// RFC 9218 §7.1.
    static let priorityUpdate = FrameType(rawValue: 16)

    var isUnknown: Bool { rawValue > FrameType.continuation.rawValue && self != .priorityUpdate }
}

/// The flags of a frame; the meaning of each depends on the frame's type.
struct FrameFlags: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let endStream = FrameFlags(rawValue: 0x01)
    static let acknowledgement = FrameFlags(rawValue: 0x01)
    static let endHeaders = FrameFlags(rawValue: 0x04)
    static let padded = FrameFlags(rawValue: 0x08)
    static let priority = FrameFlags(rawValue: 0x20)
}

extension Span where Element == UInt8 {
    func bigEndian(at index: Int) -> UInt32 {
        UInt32(self[index]) &<< 24 | UInt32(self[index &+ 1]) &<< 16
            | UInt32(self[index &+ 2]) &<< 8 | UInt32(self[index &+ 3])
    }
}

extension [UInt8] {
    mutating func appendBigEndian(_ value: UInt32) {
        append(UInt8(truncatingIfNeeded: value &>> 24))
        append(UInt8(truncatingIfNeeded: value &>> 16))
        append(UInt8(truncatingIfNeeded: value &>> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}
