/// A filter's syntax tree over exchanges.
package typealias FilterExpression = FilterTree<FilterTest>

/// One test of one value. If there are several values (two header fields of the same name), one
/// match is enough; if there is none, the test fails.
package enum FilterTest: Sendable {
    /// A text equals, contains or matches a pattern.
    case text(FilterTarget, FilterTextMatch)
    /// A number lies in a range.
    case number(FilterNumberColumn, FilterNumberRange)
    /// The close code of a WebSocket; 1006 if it ended without a closing frame.
    case closeCode(FilterNumberRange)
    /// The exchange has a note, a tag or a pin.
    case isMarked
}

/// The texts that a test looks at.
package enum FilterTarget: Sendable, Hashable {
    /// Any of these text columns.
    case columns([FilterTextColumn])
    /// A numeric column, written in decimal digits.
    case digits(FilterNumberColumn)
    /// `host:port` as requested.
    case authority
    /// The values of the header fields with this name (case-insensitive).
    case header(name: String, [FilterSide])
    /// The values of the trailer fields with this name (case-insensitive), of either message.
    case trailer(name: String)
    /// Whole header lines, `Name: value`.
    case headerLine([FilterSide])
    /// The values of the parameters with this name.
    case parameter(name: String)
    /// The values of the leaves at this path in the response's JSON.
    case responseJSON(path: String)
    /// The bodies of these messages, with content codings removed.
    case body([FilterSide])
    /// The tags of the exchange.
    case tag
    /// The names of the rules that applied.
    case rule
    /// A text value of some of the exchange's messages.
    case messages(FilterMessages, MessageTextColumn)
    /// The value of `grpc-message`, percent-decoded.
    case grpcMessage
    /// A part of the GraphQL operations.
    case graphQL(FilterGraphQLPart)
}

/// A range of numbers that includes both ends; empty if `lower > upper`.
package struct FilterNumberRange: Sendable, Hashable {
    package var lower = Int64.min
    package var upper = Int64.max

    package func contains(_ number: Int64) -> Bool { lower <= number && number <= upper }
}
