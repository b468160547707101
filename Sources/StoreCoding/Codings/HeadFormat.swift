package import ProxydHTTPModel

/// How a request head is stored; the raw values are stored in `head_format`.
package enum HeadFormat: Int64, Sendable {
    /// HTTP/1 bytes that could not be parsed as a head.
    case malformed = 0
    /// HTTP/1, byte for byte.
    case http1 = 1
    /// HTTP/2, with its field lines as text.
    case http2 = 2
    /// HTTP/2 field lines that are not a valid head, encoded by `FieldList`.
    case malformedHTTP2 = 3
    /// HTTP/3, with its field lines as text, as for HTTP/2.
    case http3 = 4

    /// Whether there is a request head that could be parsed.
    package var isReadable: Bool { self == .http1 || self == .http2 || self == .http3 }

    /// The format of the head in an update, or nil if it has none.
    package static func of(_ update: borrowing ExchangeUpdate) -> HeadFormat? {
        if let version = update.requestHead?.version {
            return version == .http3 ? .http3 : version == .http2 ? .http2 : .http1
        }
        if update.malformedCodings != nil { return .malformedHTTP2 }
        return update.malformedHead == nil ? nil : .malformed
    }
}
