public import ProxydHTTPModel

/// What a message filter looks at: one message of a WebSocket, an event stream or a gRPC call,
/// stored or passing by.
public protocol MessageFilterSubject {
    /// Which way it went.
    var direction: MessageRecord.Direction { get }
    /// What it is.
    var kind: MessageRecord.Kind { get }
    /// Its length in bytes, kept or not.
    var byteCount: Int64 { get }
    /// The beginning of what it says, as far as it is kept and was read: an event as its lines, a
    /// closing frame with its code in front. Asked for only where the filter looks into messages.
    var octets: [UInt8] { get }
    /// The rule that it breaks; nil where it breaks none.
    var problem: String? { get }
}

extension MessageFilterSubject {
    /// The code of a WebSocket's closing frame: 1005 where the frame has none, as RFC 6455 §7.4.1
    /// calls it; nil for other messages.
    public var closeCode: Int64? {
        guard kind == .close else { return nil }
        let octets = octets
        guard octets.count >= 2 else { return 1_005 }
        return Int64(octets[0]) << 8 | Int64(octets[1])
    }
}
