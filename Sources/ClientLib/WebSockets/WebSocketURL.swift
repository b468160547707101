internal import Foundation
internal import ProxydHTTPModel

/// URLs of WebSockets (RFC 6455 §3): `ws` stands for `http`, `wss` for `https`.
enum WebSocketURL {
    static func read(_ url: some URLConvertible) throws(ClientError) -> RawURL {
        guard let text = text(of: url) else { return try url.asURL() }
        for (scheme, other) in [("ws", "http"), ("wss", "https")]
        where text.prefix(scheme.count + 3).lowercased() == scheme + "://" {
            return try RawURL(other + text.dropFirst(scheme.count))
        }
        return try RawURL(text)
    }

    /// The text of a URL that may be one of a WebSocket; nil for a `RawURL`, which never is, and
    /// for what programs make URLs of themselves.
    private static func text(of url: some URLConvertible) -> String? {
        switch url {
        case let text as String: text
        case let url as URL: url.absoluteString
        case let parts as URLComponents: parts.string
        default: nil
        }
    }
}
