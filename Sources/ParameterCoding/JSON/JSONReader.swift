/// Parses JSON texts strictly (RFC 8259), preserving order, duplicate names and digits.
///
/// Not called JSONDecoder, since Foundation uses that name.
public struct JSONReader: Sendable {
    /// Bounds on the texts.
    public var limits: JSONLimits

    /// Creates a reader with the given bounds.
    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Parses a text.
    /// - Throws: the first error, with its position.
    public func read(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        try JSONParser.parse(bytes, limits: limits, into: JSONTreeBuilder()).root
    }

    /// Parses a text.
    /// - Throws: the first error, with its position.
    public func read(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try read(bytes.span)
    }

    /// Checks a text without building its value.
    /// - Throws: the first error, with its position.
    package func check(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
        _ = try JSONParser.parse(bytes, limits: limits, into: JSONNothing())
    }
}
