/// The field names that framing, forwarding and recording must recognise. They are identified once
/// when a line is parsed, so that later decisions compare a byte instead of text.
public enum FieldName: UInt8, Sendable, Hashable, CaseIterable {
    case other
    case acceptEncoding
    case authorization
    case connection
    case contentEncoding
    case contentLength
    case contentType
    case cookie
    case date
    case expect
    case host
    case http2Settings
    case keepAlive
    case maxForwards
    case proxyAuthenticate
    case proxyAuthorization
    case proxyConnection
    case setCookie
    case te
    case trailer
    case transferEncoding
    case upgrade
    case via
    case wwwAuthenticate

    /// The name in lower case; empty for `other`.
    public var lowercaseName: StaticString {
        switch self {
        case .other: ""
        case .acceptEncoding: "accept-encoding"
        case .authorization: "authorization"
        case .connection: "connection"
        case .contentEncoding: "content-encoding"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .cookie: "cookie"
        case .date: "date"
        case .expect: "expect"
        case .host: "host"
        case .http2Settings: "http2-settings"
        case .keepAlive: "keep-alive"
        case .maxForwards: "max-forwards"
        case .proxyAuthenticate: "proxy-authenticate"
        case .proxyAuthorization: "proxy-authorization"
        case .proxyConnection: "proxy-connection"
        case .setCookie: "set-cookie"
        case .te: "te"
        case .trailer: "trailer"
        case .transferEncoding: "transfer-encoding"
        case .upgrade: "upgrade"
        case .via: "via"
        case .wwwAuthenticate: "www-authenticate"
        }
    }

    /// Recognises a name, ignoring case (RFC 9110 §5.1).
    public init(_ name: Span<UInt8>) {
        let candidate = FieldName.candidate(
            byteCount: name.count, first: name.count > 0 ? name[0] : 0)
        self = ASCII.equalsIgnoringCase(name, candidate.lowercaseName) ? candidate : .other
    }

    /// Returns the only known name with this length and first letter, so that one comparison
    /// decides.
    private static func candidate(byteCount: Int, first: UInt8) -> FieldName {
        switch (byteCount, first | 0x20) {
        case (2, UInt8(ascii: "t")): .te
        case (3, UInt8(ascii: "v")): .via
        case (4, UInt8(ascii: "h")): .host
        case (4, UInt8(ascii: "d")): .date
        case (6, UInt8(ascii: "e")): .expect
        case (6, UInt8(ascii: "c")): .cookie
        case (7, UInt8(ascii: "u")): .upgrade
        case (7, UInt8(ascii: "t")): .trailer
        case (10, UInt8(ascii: "c")): .connection
        case (10, UInt8(ascii: "k")): .keepAlive
        case (10, UInt8(ascii: "s")): .setCookie
        case (12, UInt8(ascii: "c")): .contentType
        case (12, UInt8(ascii: "m")): .maxForwards
        case (13, UInt8(ascii: "a")): .authorization
        case (14, UInt8(ascii: "c")): .contentLength
        case (14, UInt8(ascii: "h")): .http2Settings
        case (15, UInt8(ascii: "a")): .acceptEncoding
        case (16, UInt8(ascii: "c")): .contentEncoding
        case (16, UInt8(ascii: "p")): .proxyConnection
        case (16, UInt8(ascii: "w")): .wwwAuthenticate
        case (17, UInt8(ascii: "t")): .transferEncoding
        case (18, UInt8(ascii: "p")): .proxyAuthenticate
        case (19, UInt8(ascii: "p")): .proxyAuthorization
        default: .other
        }
    }
}
