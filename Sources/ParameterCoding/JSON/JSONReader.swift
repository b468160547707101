/// Reads JSON texts (RFC 8259, strictly) without losing order, duplicates or digits.
///
/// Not called JSONDecoder, which is Foundation's name for something else.
public struct JSONReader: Sendable {
    /// Bounds on the texts.
    public var limits: JSONLimits

    /// A reader with the given bounds.
    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// The value of a text.
    /// - Throws: what is wrong first, with its place.
    public func read(_ octets: Span<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        try JSONParser.parse(octets, limits: limits, into: JSONTreeBuilder()).root
    }

    /// The value of a text.
    /// - Throws: what is wrong first, with its place.
    public func read(_ octets: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try read(octets.span)
    }
}
