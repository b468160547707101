/// An absolute http or https URL, or the target of a CONNECT, as it was sent: without normalisation
/// or percent-decoding.
///
/// `path`, `query` and the other parts are slices of what the client sent (RFC 3986 §3), so that
/// the URL that is stored, shown and replayed is the one on the wire.
public struct RawURL: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`, in lower case; `tunnel` for CONNECT, whose target has no scheme.
    public let scheme: String
    /// The host as written, without brackets around an IPv6 literal.
    public let host: String
    /// The explicit port, or the default port of the scheme.
    public let port: UInt16
    /// Path and query as bytes, in origin-form: starts with `/`, or is `*`.
    public let origin: [UInt8]

    /// Creates a URL from parts that were parsed elsewhere. `origin` is in origin-form.
    public init(scheme: String, host: String, port: UInt16, origin: [UInt8]) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.origin = origin
    }

    /// Returns the target of a CONNECT (RFC 9110 §9.3.6), which does not say what protocol is used.
    public static func tunnel(host: String, port: UInt16) -> RawURL {
        RawURL(scheme: "tunnel", host: host, port: port, origin: [])
    }

    /// Returns the default port of a scheme (RFC 9110 §4.2).
    public static func defaultPort(scheme: String) -> UInt16 { scheme == "https" ? 443 : 80 }

    /// The bytes of the path, up to the first `?`.
    public var path: ArraySlice<UInt8> { origin[..<(questionMark ?? origin.endIndex)] }

    /// The bytes of the query after the first `?`; nil if there is no `?`.
    public var query: ArraySlice<UInt8>? {
        questionMark.map { origin[($0 + 1)...] }
    }

    /// The path as text; if it is not UTF-8, bytes above 0x7F are percent-encoded.
    public var pathText: String { RawURL.text(path) }
    /// The query as text; if it is not UTF-8, bytes above 0x7F are percent-encoded.
    public var queryText: String? { query.map(RawURL.text) }

    /// Host and port as in a Host field: with brackets if needed, and without the default port.
    /// CONNECT has no default port (RFC 9110 §9.3.6): it is always included.
    public var authority: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        // The protocol behind a CONNECT is unknown, so it has no default port.
        let isUsual = scheme != "tunnel" && port == RawURL.defaultPort(scheme: scheme)
        return isUsual ? shown : "\(shown):\(port)"
    }

    /// The whole URL as text. A target of `*` (RFC 9112 §3.2.4) has no path. Without scheme and
    /// host, which means that a text was not a URL, it is only `origin`.
    public var description: String {
        let isWhole = !scheme.isEmpty || !host.isEmpty
        guard isWhole else { return RawURL.text(origin[...]) }
        let tail = origin == [UInt8(ascii: "*")] ? "" : pathText
        return "\(scheme)://\(authority)\(tail)\(queryText.map { "?\($0)" } ?? "")"
    }

    private var questionMark: Int? { origin.firstIndex(of: UInt8(ascii: "?")) }

    /// Converts bytes to text; if they are not valid UTF-8, those above 0x7F are percent-encoded.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let text = PercentEncoding.encoded(bytes) { $0 < 0x80 }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Compares host names as HTTP and DNS do: case and a trailing dot do not matter (RFC 9110 §4.2.3,
/// RFC 1034 §3.1).
public enum HostName {
    /// Returns the name in lower case without a trailing dot; the same string if it is already in
    /// that form.
    public static func canonical(_ host: String) -> String {
        let bytes = host.utf8Span.span
        let places = 0..<byteCountWithoutFinalDot(bytes)
        var hasCapital = false
        for place in places where bytes[place] &- UInt8(ascii: "A") < 26 { hasCapital = true }
        if !hasCapital, places.count == bytes.count { return host }
        return String(decoding: places.map { ASCII.lowercased(bytes[$0]) }, as: UTF8.self)
    }

    public static func areSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8Span, right.utf8Span)
        return areSame(left.span, right.span)
    }

    @inline(__always)
    public static func areSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        ASCII.equalsIgnoringCase(
            left.extracting(0..<byteCountWithoutFinalDot(left)),
            right.extracting(0..<byteCountWithoutFinalDot(right)))
    }

    private static func byteCountWithoutFinalDot(_ name: Span<UInt8>) -> Int {
        let hasFinalDot = name.count > 1 && name[name.count &- 1] == UInt8(ascii: ".")
        return hasFinalDot ? name.count &- 1 : name.count
    }
}
