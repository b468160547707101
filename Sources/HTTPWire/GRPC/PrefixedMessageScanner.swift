/// Finds the messages in a gRPC, gRPC-Web or Connect body, in pieces of any size.
///
/// It stores no bytes of them, so even a length of 2³²−1 costs no memory. Base64 must be decoded
/// before.
///
///     prefix ─(5 bytes)─▶ payload ─(length bytes)─▶ prefix
public struct PrefixedMessageScanner: Sendable {
    /// A part that the scanner found.
    public enum Part: Sendable, Hashable {
        /// A message starts: its prefix is complete.
        case started(MessagePrefix)
        /// Bytes of the message, as a range of the input.
        case payload(Range<Int>)
        /// A message is complete: the range of its bytes in the body, without its prefix.
        case ended(MessagePrefix, Range<Int64>)
    }

    /// A message that was unfinished when the body ended.
    public struct Unfinished: Sendable, Hashable {
        /// The prefix of the message; nil if it is incomplete.
        public let prefix: MessagePrefix?
        /// The received bytes of the message, or of an incomplete prefix, as a range of the body.
        public let range: Range<Int64>
    }

    private enum State {
        /// This many bytes of a prefix have been read, with the flags and the length so far.
        case prefix(byteCount: Int, flags: UInt8, length: UInt32)
        case payload(MessagePrefix, start: Int64, remaining: UInt32)
    }

    private var state = State.prefix(byteCount: 0, flags: 0, length: 0)
    /// The number of bytes of the body scanned so far.
    public private(set) var byteCount: Int64 = 0

    /// Creates a scanner for the start of a body.
    public init() {}

    /// Returns the next part in `input` from `offset` on, or nil if all of it was scanned.
    public mutating func next(in input: Span<UInt8>, from offset: inout Int) -> Part? {
        while true {
            switch state {
            case .payload(let prefix, let start, remaining: 0):
                state = .prefix(byteCount: 0, flags: 0, length: 0)
                return .ended(prefix, Range(uncheckedBounds: (start, byteCount)))
            case .payload(let prefix, let start, let remaining):
                guard offset < input.count else { return nil }
                let count = min(input.count &- offset, Int(remaining))
                let first = offset
                offset &+= count
                byteCount &+= Int64(count)
                state = .payload(
                    prefix, start: start, remaining: remaining &- UInt32(truncatingIfNeeded: count))
                return .payload(first..<offset)
            case .prefix(let count, let flags, let length):
                guard offset < input.count else { return nil }
                let byte = input[offset]
                offset &+= 1
                byteCount &+= 1
                if let prefix = take(byte, count, flags, length) { return .started(prefix) }
            }
        }
    }

    /// Returns the message that is unfinished if the body ends here.
    public func unfinished() -> Unfinished? {
        switch state {
        case .prefix(byteCount: 0, _, _): nil
        case .prefix(let count, _, _):
            Unfinished(
                prefix: nil,
                range: Range(uncheckedBounds: (byteCount &- Int64(count), byteCount)))
        case .payload(let prefix, let start, _):
            Unfinished(prefix: prefix, range: Range(uncheckedBounds: (start, byteCount)))
        }
    }

    /// Takes a byte of a prefix after `count` others; returns the prefix if it is the last one.
    private mutating func take(
        _ byte: UInt8, _ count: Int, _ flags: UInt8, _ length: UInt32
    ) -> MessagePrefix? {
        if count == 0 {
            state = .prefix(byteCount: 1, flags: byte, length: 0)
            return nil
        }
        let length = length &<< 8 | UInt32(byte)
        guard count == MessagePrefix.byteCount - 1 else {
            state = .prefix(byteCount: count &+ 1, flags: flags, length: length)
            return nil
        }
        let prefix = MessagePrefix(flags: flags, length: length)
        state = .payload(prefix, start: byteCount, remaining: length)
        return prefix
    }
}
