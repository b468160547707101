internal import ProxydHTTPModel

/// How a request's head is stored; the numbers stand in `head_format`.
enum HeadFormat: Int64, Sendable {
    /// Bytes of HTTP/1 that are no head.
    case malformed = 0
    /// HTTP/1, byte for byte.
    case http1 = 1
    /// HTTP/2, its field lines as text.
    case http2 = 2
    /// Field lines of HTTP/2 that are no head, as `FieldList` has them.
    case malformedHTTP2 = 3

    /// Whether there is a request head that could be read.
    var isReadable: Bool { self == .http1 || self == .http2 }

    /// That of an update's head; nil where it has none.
    static func of(_ update: borrowing ExchangeUpdate) -> HeadFormat? {
        if let version = update.requestHead?.version {
            return version.major == 2 ? .http2 : .http1
        }
        if update.malformedCodings != nil { return .malformedHTTP2 }
        return update.malformedHead == nil ? nil : .malformed
    }
}
