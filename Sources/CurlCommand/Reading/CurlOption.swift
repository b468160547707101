/// An option of curl, as far as it affects the request that is sent.
enum CurlOption: Sendable, Hashable {
    case method, field, user, cookie, userAgent, referer, url
    /// A body, whose parts are joined by `&`.
    case data(CurlData)
    case json
    case form(isLiteral: Bool)
    /// The data goes into the query.
    case get
    case head
    case compressed
    /// Affects only the connection or the handling of the response.
    case ignored(takesValue: Bool)

    /// Whether a value follows.
    var takesValue: Bool {
        switch self {
        case .get, .head, .compressed: false
        case .ignored(let takesValue): takesValue
        default: true
        }
    }

    /// The option for a letter.
    static func short(_ letter: Character) -> CurlOption? {
        switch letter {
        case "X": .method
        case "H": .field
        case "u": .user
        case "b": .cookie
        case "A": .userAgent
        case "e": .referer
        case "d": .data(.text)
        case "F": .form(isLiteral: false)
        case "G": .get
        case "I": .head
        case "k", "s", "S", "L", "v", "i", "f", "N", "g", "#", "0", "1", "2", "3", "4", "6", "a",
            "j", "O", "J", "R", "n", "q", "Z":
            .ignored(takesValue: false)
        case "o", "w", "m", "x", "c", "E", "y", "Y", "D", "r", "U", "C", "z":
            .ignored(takesValue: true)
        default: nil
        }
    }

    /// The option for a name without hyphens.
    static func long(_ name: String) -> CurlOption? {
        switch name {
        case "request": .method
        case "header": .field
        case "user": .user
        case "cookie": .cookie
        case "user-agent": .userAgent
        case "referer": .referer
        case "url": .url
        case "data", "data-ascii": .data(.text)
        case "data-raw": .data(.raw)
        case "data-binary": .data(.text)
        case "data-urlencode": .data(.encoded)
        case "json": .json
        case "form": .form(isLiteral: false)
        case "form-string": .form(isLiteral: true)
        case "get": .get
        case "head": .head
        case "compressed": .compressed
        default: ignored(name)
        }
    }

    private static func ignored(_ name: String) -> CurlOption? {
        let flags: Set = [
            "insecure", "silent", "show-error", "location", "verbose", "include", "fail",
            "fail-with-body", "no-buffer", "globoff", "path-as-is", "http1.0", "http1.1", "http2",
            "http2-prior-knowledge", "http3", "ipv4", "ipv6", "progress-bar", "no-keepalive",
            "tcp-nodelay", "ssl-no-revoke", "tlsv1.2", "tlsv1.3", "proxy-insecure", "raw",
            "remote-name", "no-progress-meter", "location-trusted", "post301", "post302",
            "disable", "no-sessionid", "tr-encoding",
        ]
        if flags.contains(name) { return .ignored(takesValue: false) }
        let valued: Set = [
            "output", "write-out", "max-time", "connect-timeout", "proxy", "proxy-user", "cacert",
            "capath", "cert", "cert-type", "key", "key-type", "pass", "resolve", "connect-to",
            "retry", "retry-delay", "retry-max-time", "cookie-jar", "max-redirs", "limit-rate",
            "interface", "dns-servers", "noproxy", "ciphers", "tls-max", "expect100-timeout",
            "proxy-header", "socks5", "socks5-hostname", "unix-socket", "range", "dump-header",
        ]
        return valued.contains(name) ? .ignored(takesValue: true) : nil
    }
}

/// How data on the command line is interpreted.
enum CurlData: Sendable, Hashable {
    /// Literal data; after an `@`, the name of a file.
    case text
    /// Literal data, whatever it starts with.
    case raw
    /// `NAME=VALUE`, of which the value is to be encoded, or a value alone.
    case encoded
}
