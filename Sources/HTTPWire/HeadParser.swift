public import ProxydHTTPModel

/// Parses heads that were stored or composed: exactly one head, with nothing before or after it, of
/// HTTP/1 or (as text) of HTTP/2. Framing is not checked.
public enum HeadParser {
    /// Parses a request head; throws if the bytes are not exactly one.
    public static func parseRequestHead(
        _ bytes: [UInt8],
        limits: WireLimits = WireLimits()
    ) throws(WireError) -> RequestHead {
        if HTTP2HeadText.isHead(bytes) { return try HTTP2HeadText.requestHead(bytes) }
        var scanner = HeadScanner.head(.request, limits: limits)
        try finish(&scanner, bytes)
        return scanner.requestHead(of: bytes)
    }

    /// Parses a response head; throws if the bytes are not exactly one. `mayLackEmptyLine` also
    /// accepts a head that ends before its empty line, as `ResponseDecoder.finish` does.
    public static func parseResponseHead(
        _ bytes: [UInt8],
        limits: WireLimits = WireLimits(),
        mayLackEmptyLine: Bool = false
    ) throws(WireError) -> ResponseHead {
        if HTTP2HeadText.isHead(bytes) { return try HTTP2HeadText.responseHead(bytes) }
        var scanner = HeadScanner.head(.response, limits: limits)
        let isWhole = try scanner.scan(bytes.span) || (mayLackEmptyLine && scanner.endUnended())
        guard isWhole, scanner.position == bytes.count else {
            throw scanner.failure(.closedEarly)
        }
        return scanner.responseHead(of: bytes)
    }

    /// Parses a trailer section including its empty line; throws if the bytes are not exactly one.
    public static func parseTrailers(
        _ bytes: [UInt8],
        limits: WireLimits = WireLimits()
    ) throws(WireError) -> HeaderFields {
        var scanner = HeadScanner.trailers(.response, limits: limits)
        try finish(&scanner, bytes)
        return scanner.fields(of: bytes)
    }

    /// Returns the method and target in the request line of a refused head (`partialHead`), each
    /// nil if it is incomplete.
    public static func salvageRequestLine(
        _ bytes: [UInt8],
        limits: WireLimits = WireLimits()
    ) -> (method: HTTPMethod?, target: [UInt8]?) {
        var scanner = HeadScanner.head(.request, limits: limits)
        // The error is known already; only what was found before it is of interest.
        _ = try? scanner.scan(bytes.span)
        guard scanner.methodEnd > 0 else { return (nil, nil) }
        let method = scanner.method(in: bytes.span)
        guard scanner.targetEnd > 0 else { return (method, nil) }
        return (method, Array(bytes[(scanner.methodEnd &+ 1)..<scanner.targetEnd]))
    }

    private static func finish(
        _ scanner: inout HeadScanner,
        _ bytes: [UInt8]
    ) throws(WireError) {
        guard try scanner.scan(bytes.span), scanner.position == bytes.count else {
            throw scanner.failure(.closedEarly)
        }
    }
}
