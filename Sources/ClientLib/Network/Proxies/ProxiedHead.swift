internal import ProxydHTTPModel

/// A request's head in the form for an HTTP proxy (RFC 9112 §3.2.2).
enum ProxiedHead {
    /// The target in absolute-form, which tells the proxy the server. A target that is neither
    /// origin-form nor `*` is unchanged.
    static func target(of head: RequestHead, url: RawURL) -> [UInt8] {
        let server = Array("\(url.scheme)://\(url.authority)".utf8)
        switch head.target.first {
        case UInt8(ascii: "/"): return server + head.target
        case UInt8(ascii: "*") where head.target.count == 1: return server
        default: return Array(head.target)
        }
    }

    /// The head's bytes with another target, and with credentials if there are any and the head has
    /// none.
    static func bytes(_ head: RequestHead, target: [UInt8], credentials: [UInt8]?) -> [UInt8] {
        var bytes = Array(head.bytes[..<head.targetRange.lowerBound])
        bytes += target
        bytes += head.bytes[head.targetRange.upperBound...]
        guard let credentials, head.fields["Proxy-Authorization"] == nil else { return bytes }
        let end: [UInt8] = bytes.suffix(2) == [0x0D, 0x0A] ? [0x0D, 0x0A] : [0x0A]
        bytes.removeLast(min(end.count, bytes.count))
        bytes += "Proxy-Authorization: ".utf8
        bytes += credentials
        bytes += end + end
        return bytes
    }
}
