public import ProxydParameterCoding

/// The body that a request sends after its head.
public enum HTTPBody: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// The contents of a file, which is read while it is sent.
    case file(path: String)
    /// Bytes from a stream, read as the network accepts them.
    case stream(BodyStream)
    /// A multipart form (RFC 7578), with the streams that its parts name. Sets `Content-Type` if
    /// the request has none.
    case multipart(MultipartFormData, streams: [Int: BodyStream] = [:])

    /// A body of text encoded as UTF-8.
    public static func text(_ text: String) -> HTTPBody { .bytes(Array(text.utf8)) }

    /// Whether the body can be sent a second time, for a retry or a redirect.
    public var isReplayable: Bool {
        switch self {
        case .none, .bytes, .file: true
        case .stream(let stream): stream.isReplayable
        case .multipart(_, let streams): streams.values.allSatisfy(\.isReplayable)
        }
    }

    /// Whether there is no body.
    public var isNone: Bool { if case .none = self { true } else { false } }
}
