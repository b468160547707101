/// Finds the messages in a body of gRPC, gRPC-Web or Connect, in whatever pieces it comes.
///
/// It keeps no byte of them: a length of 2³²−1 costs nothing. Base64 is to be undone before.
///
///     prefix ─(5 bytes)─▶ payload ─(length bytes)─▶ prefix
public struct PrefixedMessageScanner: Sendable {
    /// What the scanner found.
    public enum Part: Sendable, Hashable {
        /// A message starts: its prefix is complete.
        case started(MessagePrefix)
        /// Bytes of the message, as a range of the input.
        case payload(Range<Int>)
        /// A message is complete: where its bytes are in the body, without its prefix.
        case ended(MessagePrefix, Range<Int64>)
    }

    /// A message that a body ended in.
    public struct Unfinished: Sendable, Hashable {
        /// Its prefix; nil where not even that came whole.
        public let prefix: MessagePrefix?
        /// Where what came of its bytes is in the body; of an incomplete prefix, that.
        public let range: Range<Int64>
    }

    private enum State {
        /// So many bytes of a prefix came: the flags, and the length so far.
        case prefix(byteCount: Int, flags: UInt8, length: UInt32)
        case payload(MessagePrefix, start: Int64, remaining: UInt32)
    }

    private var state = State.prefix(byteCount: 0, flags: 0, length: 0)
    /// How many bytes of the body were scanned.
    public private(set) var byteCount: Int64 = 0

    /// At the start of a body.
    public init() {}

    /// The next part in `input` from `offset` on; nil where all of it was scanned.
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

    /// The message that the body leaves unfinished when it ends here.
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

    /// Takes a byte of a prefix of which `count` came before; the prefix where it is the last.
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
