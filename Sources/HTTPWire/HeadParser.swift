public import ProxydHTTPModel

/// Parses heads that were stored or composed: exactly one head, with nothing before or after it, of
/// HTTP/1 or (as text) of HTTP/2. Framing is not checked.
public enum HeadParser {
    /// Parses a request head; throws if the bytes are not exactly one.
    public static func parseRequestHead(
        _ bytes: [UInt8], limits: WireLimits = WireLimits()
    ) throws(WireError) -> RequestHead {
        if HTTP2HeadText.isHead(bytes) { return try HTTP2HeadText.requestHead(bytes) }
        var scanner = HeadScanner.head(.request, limits: limits)
        try finish(&scanner, bytes)
        return scanner.requestHead(of: bytes)
    }

    /// Parses a response head; throws if the bytes are not exactly one. `mayLackEmptyLine` also
    /// accepts a head that ends before its empty line, as `ResponseDecoder.finish` does.
    public static func parseResponseHead(
        _ bytes: [UInt8], limits: WireLimits = WireLimits(), mayLackEmptyLine: Bool = false
    ) throws(WireError) -> ResponseHead {
        if HTTP2HeadText.isHead(bytes) { return try HTTP2HeadText.responseHead(bytes) }
        var scanner = HeadScanner.head(.response, limits: limits)
        let isWhole = try scanner.scan(bytes.span) || (mayLackEmptyLine && scanner.endUnended())
        guard isWhole, scanner.position == bytes.count else { throw scanner.failure(.closedEarly) }
        return scanner.responseHead(of: bytes)
    }

    /// Parses a trailer section including its empty line; throws if the bytes are not exactly one.
    public static func parseTrailers(
        _ bytes: [UInt8], limits: WireLimits = WireLimits()
    ) throws(WireError) -> HeaderFields {
        var scanner = HeadScanner.trailers(.response, limits: limits)
        try finish(&scanner, bytes)
        return scanner.fields(of: bytes)
    }

    /// Returns the method and target in the request line of a refused head (`partialHead`), each
    /// nil if it is incomplete.
    public static func salvageRequestLine(
        _ bytes: [UInt8], limits: WireLimits = WireLimits()
    ) -> (method: HTTPMethod?, target: [UInt8]?) {
        var scanner = HeadScanner.head(.request, limits: limits)
        // The error is known already; only what was found before it is of interest.
        _ = try? scanner.scan(bytes.span)
        guard scanner.methodEnd > 0 else { return (nil, nil) }
        let method = scanner.method(in: bytes.span)
        guard scanner.targetEnd > 0 else { return (method, nil) }
        return (method, Array(bytes[(scanner.methodEnd &+ 1)..<scanner.targetEnd]))
    }

    private static func finish(_ scanner: inout HeadScanner, _ bytes: [UInt8]) throws(WireError) {
        guard try scanner.scan(bytes.span), scanner.position == bytes.count else {
            throw scanner.failure(.closedEarly)
        }
    }
}

/// Validates the parts of a head; used by everything that composes messages.
public enum FieldValidator {
    /// Whether bytes are a token: a method or a field name (RFC 9110 §5.6.2).
    public static func isToken(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && ByteScan.endOfToken(bytes, from: 0) == bytes.count
    }

    /// Whether bytes are a valid field value: no control characters except HTAB, and no white space
    /// at the ends (RFC 9110 §5.5). An empty value is valid.
    public static func isFieldValue(_ bytes: Span<UInt8>) -> Bool {
        !isPadded(bytes) && isReason(bytes)
    }

    /// Whether there is white space at either end.
    static func isPadded(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && (isBlank(bytes[0]) || isBlank(bytes[bytes.count &- 1]))
    }

    /// Whether bytes are a valid reason phrase: no control characters except HTAB (RFC 9112 §4).
    public static func isReason(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where ByteClass.isForbiddenInText(bytes[index]) { return false }
        return true
    }

    /// Whether bytes are a valid request target: not empty, no control characters, no white space
    /// (RFC 9112 §3.2).
    public static func isRequestTarget(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && ByteScan.endOfVisible(bytes, from: 0) == bytes.count
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
