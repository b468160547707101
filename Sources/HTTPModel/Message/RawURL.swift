/// An absolute http or https URL, or where a CONNECT leads, as it was sent: no normalisation, no
/// percent-decoding.
///
/// `path`, `query` and the rest are slices of what the client wrote (RFC 3986 §3), so that what
/// is stored, shown and replayed is what went over the wire.
public struct RawURL: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`, lower case; `tunnel` for CONNECT, whose target has none.
    public let scheme: String
    /// The host as written, without brackets around an IPv6 literal.
    public let host: String
    /// The effective port: the explicit one, else the scheme's.
    public let port: UInt16
    /// Path and query as octets, origin-form: begins with `/`, or is `*`.
    public let origin: [UInt8]

    /// Assembles a URL from parts that were parsed elsewhere. `origin` is origin-form.
    public init(scheme: String, host: String, port: UInt16, origin: [UInt8]) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.origin = origin
    }

    /// What a CONNECT names (RFC 9110 §9.3.6): nothing says what is spoken there.
    public static func tunnel(host: String, port: UInt16) -> RawURL {
        RawURL(scheme: "tunnel", host: host, port: port, origin: [])
    }

    /// The port a scheme has when none is written (RFC 9110 §4.2).
    public static func defaultPort(scheme: String) -> UInt16 { scheme == "https" ? 443 : 80 }

    /// The path's octets, up to the first `?`.
    public var path: ArraySlice<UInt8> { origin[..<(questionMark ?? origin.endIndex)] }

    /// The query's octets behind the first `?`; nil where there is no `?`.
    public var query: ArraySlice<UInt8>? {
        questionMark.map { origin[($0 + 1)...] }
    }

    /// The path as text; octets that are not UTF-8 become their percent-encoded form.
    public var pathText: String { RawURL.text(path) }
    /// The query as text; octets that are not UTF-8 become their percent-encoded form.
    public var queryText: String? { query.map(RawURL.text) }

    /// Host and port as a Host field would write them: brackets where needed, no
    /// default port. CONNECT has none (RFC 9110 §9.3.6): its port is always written.
    public var authority: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        // Nothing says what a CONNECT leads to, so no port of its is the usual one.
        let isUsual = scheme != "tunnel" && port == RawURL.defaultPort(scheme: scheme)
        return isUsual ? shown : "\(shown):\(port)"
    }

    /// The whole URL as text. A target of `*` (RFC 9112 §3.2.4) has no path. Without scheme and
    /// host, as where a text was no URL, it is `origin` alone.
    public var description: String {
        let isWhole = !scheme.isEmpty || !host.isEmpty
        guard isWhole else { return RawURL.text(origin[...]) }
        let tail = origin == [UInt8(ascii: "*")] ? "" : pathText
        return "\(scheme)://\(authority)\(tail)\(queryText.map { "?\($0)" } ?? "")"
    }

    private var questionMark: Int? { origin.firstIndex(of: UInt8(ascii: "?")) }

    /// UTF-8 text of octets; where they are not valid UTF-8, those above 0x7F percent-encoded.
    static func text(_ octets: ArraySlice<UInt8>) -> String {
        if let text = String(validating: octets, as: UTF8.self) { return text }
        var text: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for octet in octets {
            if octet < 0x80 {
                text.append(octet)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
