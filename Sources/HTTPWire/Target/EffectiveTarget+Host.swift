public import ProxydHTTPModel

extension EffectiveTarget {
    /// Returns the URL that a request in origin-form has on the server named in its Host line, with
    /// the scheme http (RFC 9112 §3.3), or nil if it names none.
    public static func urlOfHost(_ head: RequestHead) -> RawURL? {
        guard let line = head.fields.first(.host), line.valueRange.count > 0,
            let authority = try? Authority(head.fields.bytes.span.extracting(line.valueRange))
        else { return nil }
        let target = head.bytes.span.extracting(head.targetRange)
        let end = ByteScan.firstIndex(of: UInt8(ascii: "#"), in: target, from: 0)
        let origin = target.extracting(0..<end).withUnsafeBufferPointer { Array($0) }
        return RawURL(
            scheme: "http", host: authority.host,
            port: authority.port ?? RawURL.defaultPort(scheme: "http"), origin: origin)
    }
}
