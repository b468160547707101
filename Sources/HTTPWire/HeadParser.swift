public import ProxydHTTPModel

/// Heads out of octets that were stored or composed: one head, nothing before or behind it, of
/// HTTP/1 or, as text, of HTTP/2. Framing is not judged.
public enum HeadParser {
    /// A request head; throws where the octets are not exactly one.
    public static func parseRequestHead(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits()
    ) throws(WireError) -> RequestHead {
        if HTTP2HeadText.isHead(octets) { return try HTTP2HeadText.requestHead(octets) }
        var scanner = HeadScanner.head(.request, limits: limits)
        try finish(&scanner, octets)
        return scanner.requestHead(of: octets)
    }

    /// A response head; throws where the octets are not exactly one. `mayLackEmptyLine` takes one
    /// that was cut where its empty line should be, as `ResponseDecoder.finish` does.
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

    /// A trailer section, its empty line included; throws where the octets are not exactly one.
    public static func parseTrailers(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits()
    ) throws(WireError) -> HeaderFields {
        var scanner = HeadScanner.trailers(.response, limits: limits)
        try finish(&scanner, octets)
        return scanner.fields(of: octets)
    }

    /// What a refused head (`partialHead`) tells of its request line: method and target, each nil
    /// where it was not complete.
    public static func salvageRequestLine(
        _ octets: [UInt8],
        limits: WireLimits = WireLimits()
    ) -> (method: HTTPMethod?, target: [UInt8]?) {
        var scanner = HeadScanner.head(.request, limits: limits)
        // Whatever is wrong is known already; what was found before it is what is wanted.
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
