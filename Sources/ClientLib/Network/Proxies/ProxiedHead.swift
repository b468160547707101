internal import ProxydHTTPModel

/// A request's head as an HTTP proxy gets it (RFC 9112 §3.2.2).
enum ProxiedHead {
    /// The target in absolute-form, as a proxy has to know the server. A target that is no
    /// origin-form or `*` stays as it is.
    static func target(of head: RequestHead, url: RawURL) -> [UInt8] {
        let server = Array("\(url.scheme)://\(url.authority)".utf8)
        switch head.target.first {
        case UInt8(ascii: "/"): return server + head.target
        case UInt8(ascii: "*") where head.target.count == 1: return server
        default: return Array(head.target)
        }
    }

    /// The head's bytes with another target, and with credentials where there are some and the
    /// head has none.
    static func octets(_ head: RequestHead, target: [UInt8], credentials: [UInt8]?) -> [UInt8] {
        var octets = Array(head.octets[..<head.targetRange.lowerBound])
        octets += target
        octets += head.octets[head.targetRange.upperBound...]
        guard let credentials, head.fields["Proxy-Authorization"] == nil else { return octets }
        let end: [UInt8] = octets.suffix(2) == [0x0D, 0x0A] ? [0x0D, 0x0A] : [0x0A]
        octets.removeLast(min(end.count, octets.count))
        octets += "Proxy-Authorization: ".utf8
        octets += credentials
        octets += end + end
        return octets
    }
}
