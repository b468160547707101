/// A filter's syntax tree over exchanges.
package typealias FilterExpression = FilterTree<FilterTest>

/// One look at one thing. Where there are several (two headers of a name), one is enough; where
/// there is none, it does not hold.
package enum FilterTest: Sendable {
    /// A text is, contains or matches.
    case text(FilterTarget, FilterTextMatch)
    /// A number lies in a range.
    case number(FilterNumberColumn, FilterNumberRange)
    /// The code that a WebSocket was closed with; 1006 where it ended without a closing frame.
    case closeCode(FilterNumberRange)
    /// Note, tag or pin: somebody marked it.
    case isMarked
}

/// Which texts a test looks at.
package enum FilterTarget: Sendable, Hashable {
    /// Columns of the row; any of them.
    case columns([FilterTextColumn])
    /// A number in decimal digits.
    case digits(FilterNumberColumn)
    /// `host:port` as asked for.
    case authority
    /// The values of the header fields of a name (any case).
    case header(name: String, [FilterSide])
    /// The values of the trailer fields of a name (any case), of either message.
    case trailer(name: String)
    /// Whole header lines, `Name: value`.
    case headerLine([FilterSide])
    /// The values of the parameters of a name.
    case parameter(name: String)
    /// The values of the leaves at a path of the response's JSON.
    case responseJSON(path: String)
    /// Decoded bodies.
    case body([FilterSide])
    /// Tags.
    case tag
    /// The names of the rules that applied.
    case rule
    /// A text of messages.
    case messages(FilterMessages, MessageTextColumn)
    /// `grpc-message`, its percent-encoding undone.
    case grpcMessage
    /// A part of the operations of GraphQL.
    case graphQL(FilterGraphQLPart)
}

/// A range of numbers, both ends in it; empty where `lower > upper`.
package struct FilterNumberRange: Sendable, Hashable {
    package var lower = Int64.min
    package var upper = Int64.max

    package func contains(_ number: Int64) -> Bool { lower <= number && number <= upper }
}
