public import ProxydParameterCoding

/// What a request carries behind its head.
public enum HTTPBody: Sendable {
    /// Nothing.
    case none
    /// Bytes in memory.
    case octets([UInt8])
    /// A file, read while it is sent.
    case file(path: String)
    /// Bytes from elsewhere, pulled as the network takes them.
    case stream(BodyStream)
    /// A form of parts (RFC 7578), with the streams that its parts name. Sets `Content-Type` where
    /// the request has none.
    case multipart(MultipartFormData, streams: [Int: BodyStream] = [:])

    /// Text as UTF-8.
    public static func text(_ text: String) -> HTTPBody { .octets(Array(text.utf8)) }

    /// Whether the body can be sent a second time, for a retry or a redirect.
    public var isReplayable: Bool {
        switch self {
        case .none, .octets, .file: true
        case .stream(let stream): stream.isReplayable
        case .multipart(_, let streams): streams.values.allSatisfy(\.isReplayable)
        }
    }

    /// Whether there is nothing.
    public var isNone: Bool { if case .none = self { true } else { false } }
}
