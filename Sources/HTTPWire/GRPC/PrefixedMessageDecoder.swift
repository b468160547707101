/// Decodes the messages in a gRPC, gRPC-Web or Connect body for a client, in pieces of any size. It
/// stores the received bytes of at most one unfinished message.
public struct PrefixedMessageDecoder: Sendable {
    /// Why a body cannot be decoded further.
    public enum Failure: Error, Sendable, Hashable {
        /// The announced size of a message exceeds the limit.
        case messageTooLarge(byteCount: UInt32)
        /// The body ended within a message.
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
                bytes.extracting(range).withUnsafeBufferPointer {
                    payload.append(contentsOf: $0)
                }
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
