/// The prefix of a gRPC, gRPC-Web or Connect message.
public struct MessagePrefix: Sendable, Hashable {
    /// The size of a prefix in bytes.
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

    /// Creates a prefix.
    public init(flags: UInt8, length: UInt32) {
        self.flags = flags
        self.length = length
    }

    /// Whether the message is compressed.
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
            case .grpcWeb, .grpcWebText:
                MessagePrefix.compressedFlag | MessagePrefix.trailersFlag
            case .connect: MessagePrefix.compressedFlag | MessagePrefix.endOfStreamFlag
            }
        return flags & ~known
    }

    /// Appends the bytes of the prefix.
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
