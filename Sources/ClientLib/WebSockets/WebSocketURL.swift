internal import FoundationEssentials
internal import ProxydHTTPModel

/// URLs of WebSockets (RFC 6455 §3): `ws` means `http`, `wss` means `https`.
enum WebSocketURL {
    static func read(_ url: some URLConvertible) throws(ClientError) -> RawURL {
        guard let text = text(of: url) else { return try url.asURL() }
        for (scheme, other) in [("ws", "http"), ("wss", "https")]
        where text.prefix(scheme.count + 3).lowercased() == scheme + "://" {
            return try RawURL(other + text.dropFirst(scheme.count))
        }
        return try RawURL(text)
    }

    /// The text of a URL that may be a WebSocket's, or nil for a `RawURL` and for a program's own
    /// URL types, which never are.
    private static func text(of url: some URLConvertible) -> String? {
        switch url {
        case let text as String: text
        case let url as URL: url.absoluteString
        case let parts as URLComponents: parts.string
        default: nil
        }
    }
}
