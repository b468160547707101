internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request of a packet capture that waits for its response.
struct PacketRequest {
    enum Content {
        case message(RawMessage<RequestHead>)
        /// Bytes that are not a valid request.
        case malformed([UInt8])
    }

    /// Its place among the requests of its connection.
    let order: Int
    let content: Content
    /// When it ended, in nanoseconds since 1970; nil if that is not known.
    let at: Int64?

    var method: HTTPMethod {
        switch content {
        case .message(let message): message.head.method
        case .malformed(let bytes): bytes.starts(with: "HEAD ".utf8) ? .head : .get
        }
    }

    /// About as many bytes as it takes up.
    var keptByteCount: Int {
        switch content {
        case .message(let message): message.keptByteCount
        case .malformed(let bytes): bytes.count + PacketBudget.headByteCount
        }
    }
}
