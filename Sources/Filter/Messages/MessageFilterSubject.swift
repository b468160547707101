public import ProxydHTTPModel

/// The input of a message filter: one message of a WebSocket, an event stream or a gRPC call,
/// either stored or live.
public protocol MessageFilterSubject {
    /// The direction in which the message was sent.
    var direction: MessageRecord.Direction { get }
    /// The kind of message, such as text, event or closing frame.
    var kind: MessageRecord.Kind { get }
    /// The length of the message in bytes, whether or not it was stored.
    var byteCount: Int64 { get }
    /// The start of the content, as far as it was stored and read: an event as its lines, a closing
    /// frame with its code first. Requested only if the filter looks into messages.
    var bytes: [UInt8] { get }
    /// The protocol rule that the message violates, or nil if it violates none.
    var problem: String? { get }
}

extension MessageFilterSubject {
    /// The code of a WebSocket's closing frame: 1005 if the frame has none (RFC 6455 §7.4.1); nil
    /// for other messages.
    public var closeCode: Int64? {
        guard kind == .close else { return nil }
        let bytes = bytes
        guard bytes.count >= 2 else { return 1_005 }
        return Int64(bytes[0]) << 8 | Int64(bytes[1])
    }
}
