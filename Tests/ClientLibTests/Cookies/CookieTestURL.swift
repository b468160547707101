import ProxydHTTPModel

/// URLs of well-formed text, for tests.
enum CookieTestURL {
    static func make(_ text: String) -> RawURL {
        let scheme = text.hasPrefix("https") ? "https" : "http"
        let rest = text.dropFirst(scheme.count + 3)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        let host = authority[..<(hostEnd ?? authority.endIndex)].drop { $0 == "[" }
        let port = UInt16(authority[(hostEnd ?? authority.endIndex)...].drop { !$0.isNumber })
        return RawURL(
            scheme: scheme, host: String(host),
            port: port ?? RawURL.defaultPort(scheme: scheme),
            origin: slash == rest.endIndex ? [0x2F] : Array(rest[slash...].utf8))
    }
}
