public import ProxydHTTPModel

/// How a body consists of messages, each with a prefix of five bytes: a byte of flags and the
/// length in network byte order.
public enum MessageFraming: Sendable, Hashable, CaseIterable {
    /// gRPC over HTTP/2 ("Length-Prefixed-Message" in grpc/doc/PROTOCOL-HTTP2.md).
    case grpc
    /// gRPC-Web (grpc/doc/PROTOCOL-WEB.md): trailers are the last message of a response.
    case grpcWeb
    /// gRPC-Web encoded in Base64.
    case grpcWebText
    /// Connect streams: the last message contains the final status, as JSON.
    case connect

    /// The framing of a media type; nil for any other type. Case, parameters and the suffix after
    /// `+` are ignored, except for Connect, whose calls without `+` have no prefixes.
    public init?(contentType: Span<UInt8>) {
        if MessageFraming.isType(contentType, "application/grpc") {
            self = .grpc
        } else if MessageFraming.isType(contentType, "application/grpc-web-text") {
            self = .grpcWebText
        } else if MessageFraming.isType(contentType, "application/grpc-web") {
            self = .grpcWeb
        } else if MessageFraming.hasPrefix(contentType, "application/connect+") {
            self = .connect
        } else {
            return nil
        }
    }

    /// The framing according to the fields of a message.
    public init?(_ fields: borrowing HeaderFields) {
        guard let line = fields.first(.contentType) else { return nil }
        self.init(contentType: fields.bytes.span.extracting(line.valueRange))
    }

    private static func isType(_ value: Span<UInt8>, _ type: StaticString) -> Bool {
        let count = type.utf8CodeUnitCount
        guard hasPrefix(value, type) else { return false }
        guard value.count > count else { return true }
        switch value[count] {
        case UInt8(ascii: "+"), UInt8(ascii: ";"), 0x20, 0x09: return true
        default: return false
        }
    }

    private static func hasPrefix(_ value: Span<UInt8>, _ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard value.count >= count else { return false }
        return ASCII.equalsIgnoringCase(value.extracting(0..<count), prefix)
    }
}

/// The prefix of a gRPC, gRPC-Web or Connect message.
public struct MessagePrefix: Sendable, Hashable {
    public static let byteCount = 5
    /// The message is compressed with the coding in `grpc-encoding` or `connect-content-encoding`.
    public static let compressedFlag: UInt8 = 0x01
    /// Connect: the message ends the stream.
    public static let endOfStreamFlag: UInt8 = 0x02
    /// gRPC-Web: the message contains the trailers.
    public static let trailersFlag: UInt8 = 0x80

    /// The flags, including unknown ones.
    public var flags: UInt8
    /// The announced size of the message in bytes. It is untrusted, so do not allocate by it.
    public var length: UInt32

    public init(flags: UInt8, length: UInt32) {
        self.flags = flags
        self.length = length
    }

    public var isCompressed: Bool { flags & MessagePrefix.compressedFlag != 0 }

    /// Whether the message contains the status of the call instead of data.
    public func isTrailers(in framing: MessageFraming) -> Bool {
        switch framing {
        case .grpc: false
        case .grpcWeb, .grpcWebText: flags & MessagePrefix.trailersFlag != 0
        case .connect: flags & MessagePrefix.endOfStreamFlag != 0
        }
    }

    /// The flags that are undefined in this framing; 0 if the sender complies with it.
    public func reservedFlags(in framing: MessageFraming) -> UInt8 {
        let known =
            switch framing {
            case .grpc: MessagePrefix.compressedFlag
            case .grpcWeb, .grpcWebText: MessagePrefix.compressedFlag | MessagePrefix.trailersFlag
            case .connect: MessagePrefix.compressedFlag | MessagePrefix.endOfStreamFlag
            }
        return flags & ~known
    }

    public func write(into output: inout [UInt8]) {
        output.append(flags)
        output.append(UInt8(truncatingIfNeeded: length &>> 24))
        output.append(UInt8(truncatingIfNeeded: length &>> 16))
        output.append(UInt8(truncatingIfNeeded: length &>> 8))
        output.append(UInt8(truncatingIfNeeded: length))
    }

    /// Appends a message with its prefix.
    /// - Returns: false, without appending anything, if the message has 2³² bytes or more.
    public static func write(
        _ message: Span<UInt8>, flags: UInt8 = 0, into output: inout [UInt8]
    ) -> Bool {
        guard let length = UInt32(exactly: message.count) else { return false }
        MessagePrefix(flags: flags, length: length).write(into: &output)
        message.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        return true
    }
}

/// A gRPC, gRPC-Web or Connect message as received.
public struct PrefixedMessage: Sendable, Hashable {
    public var prefix: MessagePrefix
    /// The bytes of the message, still compressed if the prefix says so.
    public var payload: [UInt8]
}

/// Decodes the messages in a gRPC, gRPC-Web or Connect body for a client, in pieces of any size. It
/// stores the received bytes of at most one unfinished message.
public struct PrefixedMessageDecoder: Sendable {
    public enum Failure: Error, Sendable, Hashable {
        case messageTooLarge(byteCount: UInt32)
        case truncated
    }

    private let messageByteCountMax: Int
    private var scanner = PrefixedMessageScanner()
    private var payload: [UInt8] = []

    /// Creates a decoder for messages of at most `messageByteCountMax` bytes; 4 MiB by default, as
    /// in gRPC.
    public init(messageByteCountMax: Int = 4 << 20) {
        self.messageByteCountMax = messageByteCountMax
    }

    /// Takes the next bytes of the body, and appends the messages that end in them.
    /// - Throws: if a message is too large; earlier ones have been appended.
    public mutating func receive(
        _ bytes: Span<UInt8>, into messages: inout [PrefixedMessage]
    ) throws(Failure) {
        var offset = 0
        while let part = scanner.next(in: bytes, from: &offset) {
            switch part {
            case .started(let prefix):
                guard Int(prefix.length) <= messageByteCountMax else {
                    throw .messageTooLarge(byteCount: prefix.length)
                }
            case .payload(let range):
                bytes.extracting(range).withUnsafeBufferPointer { payload.append(contentsOf: $0) }
            case .ended(let prefix, _):
                messages.append(PrefixedMessage(prefix: prefix, payload: payload))
                payload = []
            }
        }
    }

    /// Must be called at the end of the body.
    /// - Throws: if the body ended within a message.
    public func finish() throws(Failure) {
        if scanner.unfinished() != nil { throw .truncated }
    }
}

/// Finds the messages in a gRPC, gRPC-Web or Connect body, in pieces of any size.
///
/// It stores no bytes of them, so even a length of 2³²−1 costs no memory. Base64 must be decoded
/// before.
///
///     prefix ─(5 bytes)─▶ payload ─(length bytes)─▶ prefix
public struct PrefixedMessageScanner: Sendable {
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
                prefix: nil, range: Range(uncheckedBounds: (byteCount &- Int64(count), byteCount)))
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

/// Decodes the Base64 of grpc-web-text as it arrives (RFC 4648 §4). Servers encode each message, or
/// each flushed piece, separately: padding may occur after any group of four characters.
public struct Base64Stream: Sendable {
    /// The bits of the current group, and the number of its characters so far.
    private var bits: UInt32 = 0
    private var characterCount = 0
    private var paddingCount = 0
    /// Whether an invalid character occurred; nothing is decoded after it.
    public private(set) var isInvalid = false

    public init() {}

    /// Whether the body may end here.
    public var isAtEndOfGroup: Bool { characterCount == 0 && !isInvalid }

    /// Decodes the next characters and appends the result. CR and LF are skipped.
    public mutating func decode(_ input: Span<UInt8>, into output: inout [UInt8]) {
        for index in input.indices where !isInvalid { take(input[index], into: &output) }
    }

    private mutating func take(_ character: UInt8, into output: inout [UInt8]) {
        switch character {
        case 0x0D, 0x0A: return
        case UInt8(ascii: "=") where characterCount >= 2:
            paddingCount &+= 1
            bits = bits &<< 6
        default:
            guard paddingCount == 0, let value = Base64Stream.value(character) else {
                isInvalid = true
                return
            }
            bits = bits &<< 6 | value
        }
        characterCount &+= 1
        if characterCount == 4 { endGroup(into: &output) }
    }

    private mutating func endGroup(into output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: bits &>> 16))
        if paddingCount < 2 { output.append(UInt8(truncatingIfNeeded: bits &>> 8)) }
        if paddingCount < 1 { output.append(UInt8(truncatingIfNeeded: bits)) }
        (bits, characterCount, paddingCount) = (0, 0, 0)
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character &- 0x41)
        case 0x61...0x7A: UInt32(character &- 0x61 &+ 26)
        case 0x30...0x39: UInt32(character &- 0x30 &+ 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
