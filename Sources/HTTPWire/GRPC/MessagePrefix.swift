/// What stands in front of a message of gRPC, gRPC-Web or Connect.
public struct MessagePrefix: Sendable, Hashable {
    /// The bytes it takes.
    public static let byteCount = 5
    /// The message is compressed with what `grpc-encoding` or `connect-content-encoding` names.
    public static let compressedFlag: UInt8 = 0x01
    /// Connect: the message ends the stream.
    public static let endOfStreamFlag: UInt8 = 0x02
    /// gRPC-Web: the message is the trailer section.
    public static let trailersFlag: UInt8 = 0x80

    /// Its flags, known or not.
    public var flags: UInt8
    /// The bytes of the message that it promises. Whoever believes it should not reserve them.
    public var length: UInt32

    /// A prefix.
    public init(flags: UInt8, length: UInt32) {
        self.flags = flags
        self.length = length
    }

    /// Whether the message is compressed.
    public var isCompressed: Bool { flags & MessagePrefix.compressedFlag != 0 }

    /// Whether the message says how the call ended, instead of being one.
    public func isTrailers(in framing: MessageFraming) -> Bool {
        switch framing {
        case .grpc: false
        case .grpcWeb, .grpcWebText: flags & MessagePrefix.trailersFlag != 0
        case .connect: flags & MessagePrefix.endOfStreamFlag != 0
        }
    }

    /// The flags that the framing gives no meaning to: 0 in what keeps to it.
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

    /// Appends its bytes.
    public func write(into output: inout [UInt8]) {
        output.append(flags)
        output.append(UInt8(truncatingIfNeeded: length &>> 24))
        output.append(UInt8(truncatingIfNeeded: length &>> 16))
        output.append(UInt8(truncatingIfNeeded: length &>> 8))
        output.append(UInt8(truncatingIfNeeded: length))
    }

    /// Appends a message with its prefix.
    /// - Returns: false, and appends nothing, where it has 2³² bytes or more.
    public static func write(
        _ message: Span<UInt8>, flags: UInt8 = 0, into output: inout [UInt8]
    ) -> Bool {
        guard let length = UInt32(exactly: message.count) else { return false }
        MessagePrefix(flags: flags, length: length).write(into: &output)
        message.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        return true
    }
}
