/// Reads the messages in a body of gRPC, gRPC-Web or Connect for a client, in whatever pieces it
/// comes. It holds the bytes of one unfinished message, as they come.
public struct PrefixedMessageDecoder: Sendable {
    /// Why a body cannot be read on.
    public enum Failure: Error, Sendable, Hashable {
        /// A message is announced with more bytes than the limit.
        case messageTooLarge(byteCount: UInt32)
        /// The body ended within a message.
        case truncated
    }

    private let messageByteCountMax: Int
    private var scanner = PrefixedMessageScanner()
    private var payload: [UInt8] = []

    /// Messages have `messageByteCountMax` bytes at most; 4 MiB, as with gRPC, unless told
    /// otherwise.
    public init(messageByteCountMax: Int = 4 << 20) {
        self.messageByteCountMax = messageByteCountMax
    }

    /// Takes the next bytes of the body, and appends the messages that end in them.
    /// - Throws: where a message is too large; those before it were appended.
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
                bytes.extracting(range).withUnsafeBufferPointer {
                    payload.append(contentsOf: $0)
                }
            case .ended(let prefix, _):
                messages.append(PrefixedMessage(prefix: prefix, payload: payload))
                payload = []
            }
        }
    }

    /// Says that the body has ended.
    /// - Throws: where it ended within a message.
    public func finish() throws(Failure) {
        if scanner.unfinished() != nil { throw .truncated }
    }
}
