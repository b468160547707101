public import ProxydHTTPModel

/// Parses heads that were stored or composed: exactly one head, with nothing before or after it, of
/// HTTP/1 or (as text) of HTTP/2. Framing is not checked.
public enum HeadParser {
    /// Parses a request head; throws if the bytes are not exactly one.
    public static func parseRequestHead(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits()
    ) throws(WireError) -> RequestHead {
        if HTTP2HeadText.isHead(octets) { return try HTTP2HeadText.requestHead(octets) }
        var scanner = HeadScanner.head(.request, limits: limits)
        try finish(&scanner, octets)
        return scanner.requestHead(of: octets)
    }

    /// Parses a response head; throws if the bytes are not exactly one. `mayLackEmptyLine` also
    /// accepts a head that ends before its empty line, as `ResponseDecoder.finish` does.
    public static func parseResponseHead(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits(),
        mayLackEmptyLine: Bool = false
    ) throws(WireError) -> ResponseHead {
        if HTTP2HeadText.isHead(octets) { return try HTTP2HeadText.responseHead(octets) }
        var scanner = HeadScanner.head(.response, limits: limits)
        let isWhole = try scanner.scan(octets.span) || (mayLackEmptyLine && scanner.endUnended())
        guard isWhole, scanner.position == octets.count else {
            throw scanner.failure(.closedEarly)
        }
        return scanner.responseHead(of: octets)
    }

    /// Parses a trailer section including its empty line; throws if the bytes are not exactly one.
    public static func parseTrailers(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits()
    ) throws(WireError) -> HeaderFields {
        var scanner = HeadScanner.trailers(.response, limits: limits)
        try finish(&scanner, octets)
        return scanner.fields(of: octets)
    }

    /// Returns the method and target in the request line of a refused head (`partialHead`), each
    /// nil if it is incomplete.
    public static func salvageRequestLine(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits()
    ) -> (method: HTTPMethod?, target: [UInt8]?) {
        var scanner = HeadScanner.head(.request, limits: limits)
        // The error is known already; only what was found before it is of interest.
        _ = try? scanner.scan(octets.span)
        guard scanner.methodEnd > 0 else { return (nil, nil) }
        let method = scanner.method(in: octets.span)
        guard scanner.targetEnd > 0 else { return (method, nil) }
        return (method, Array(octets[(scanner.methodEnd &+ 1)..<scanner.targetEnd]))
    }

    private static func finish(
        _ scanner: inout HeadScanner,
        _ octets: [UInt8]
    ) throws(WireError) {
        guard try scanner.scan(octets.span), scanner.position == octets.count else {
            throw scanner.failure(.closedEarly)
        }
    }
}
