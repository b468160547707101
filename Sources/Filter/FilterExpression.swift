internal import ProxydHTTPModel

/// A filter's syntax tree over exchanges.
package typealias FilterExpression = FilterTree<FilterTest>

/// One test of one value. If there are several values (two header fields of the same name), one
/// match is enough; if there is none, the test fails.
package enum FilterTest: Sendable {
    case text(FilterTarget, FilterTextMatch)
    case number(FilterNumberColumn, FilterNumberRange)
    /// The close code of a WebSocket; 1006 if it ended without a closing frame.
    case closeCode(FilterNumberRange)
    /// The exchange has a note, a tag or a pin.
    case isMarked
}

package enum FilterTarget: Sendable, Hashable {
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

/// A tree that combines the tests of a filter, independent of what they test.
package indirect enum FilterTree<Test: Sendable>: Sendable {
    case everything
    case all([FilterTree])
    case any([FilterTree])
    case not(FilterTree)
    case test(Test)

    /// Evaluates the tree with the result of `decide` for each test. Evaluation stops at the first
    /// part that determines the result.
    func decision(_ decide: (Test) -> FilterDecision) -> FilterDecision {
        switch self {
        case .everything: .passes
        case .all(let parts): FilterTree.decision(of: parts, unless: .fails, decide)
        case .any(let parts): FilterTree.decision(of: parts, unless: .passes, decide)
        case .not(let part): part.decision(decide).negated
        case .test(let test): decide(test)
        }
    }

    /// The common result of all parts, unless one part alone determines the result.
    private static func decision(
        of parts: [FilterTree], unless decisive: FilterDecision, _ decide: (Test) -> FilterDecision
    ) -> FilterDecision {
        var decision = decisive.negated
        for part in parts {
            let said = part.decision(decide)
            if said == decisive { return said }
            if said == .open { decision = .open }
        }
        return decision
    }
}

/// A text column of an exchange that a filter can test; each exchange has at most one value.
public enum FilterTextColumn: Sendable, Hashable, CaseIterable {
    case method
    /// `http` or `https`; `tunnel` for CONNECT.
    case scheme
    /// The host as written.
    case host
    /// The path as written.
    case path
    /// The query as written, without `?`.
    case query
    /// The whole URL, as in `list --json`.
    case url
    case requestType
    case responseType
    /// The client's address and port.
    case client
    /// The client's address and port in a PROXY header.
    case namedClient
    /// The server's address and port.
    case server
    /// The client's program name.
    case process
    /// The user as whom the client authenticated at the proxy.
    case user
    case listener
    case upstream
    /// Why the exchange failed, as in `list --json`.
    case error
    /// Why the proxy did not forward what the server sent.
    case refused
    /// The repairs made to the response, one per line.
    case repaired
    /// `active`, `complete`, `failed` or `tunnel`.
    case state
    case note
    /// The protocol an Upgrade switched to.
    case upgradedTo
    /// The protocol in use: `h1`, `h2`, `h2c`, `ws`, `grpc`, `grpcweb`, `sse` or `tunnel`.
    case spokenProtocol
    /// The error code of the RST_STREAM frame, by its name in RFC 9113 §7.
    case reset
    /// The gRPC service, taken from the path.
    case grpcService
    /// The gRPC method, taken from the path.
    case grpcMethod
    /// The status of the gRPC call, as `GRPCStatus.name`.
    case grpcStatus
    /// The name of the store that recorded the exchange; nil in that store itself.
    case store
}

/// A numeric column of an exchange that a filter can test.
public enum FilterNumberColumn: Sendable, Hashable, CaseIterable {
    /// The exchange's number in the store that recorded it.
    case id
    /// The effective port.
    case port
    /// The status code that the client received.
    case status
    /// The status code that the server sent; nil if the client received the same.
    case receivedStatus
    /// The number of bytes of the response body that were transferred.
    case responseSize
    /// The number of bytes of the request body that were transferred.
    case requestSize
    /// The time from start to end without the time in holds, in nanoseconds.
    case duration
    /// How long messages were held, in nanoseconds; nil if they were not.
    case held
    /// The start time, in nanoseconds since 1970.
    case started
    /// The number of the exchange that this one replays.
    case replayOf
    /// 1 if pinned; 0 or nil if not.
    case pinned
    /// The number of the HTTP/2 stream on the client side.
    case stream
    /// The request's version, as `HTTPVersion.number`.
    case httpVersion
    /// The number of data messages; nil if the exchange cannot have any.
    case messageCount
    /// The number of data messages of a WebSocket; nil for other exchanges.
    case webSocketMessageCount
    /// The numeric value of `grpc-status`.
    case grpcStatus
}

/// One of the two messages of an exchange.
public enum FilterSide: Sendable, Hashable, CaseIterable {
    case request
    case response
}

package enum FilterTextMatch: Sendable {
    /// The text contains the needle; ASCII letters match in either case.
    case contains(ByteSearch)
    /// The text is equal byte for byte.
    case equals(String)
    /// The text is this canonical host; case and a final dot do not matter.
    case isHost(String)
    /// The regular expression matches somewhere in the text.
    case regex(LinearRegex)

    func holds(for text: String) -> Bool { holds(for: text.utf8.span) }

    func holds(for text: Span<UInt8>) -> Bool {
        switch self {
        case .contains(let search): return search.isFound(in: text)
        case .equals(let wanted): return FilterTextMatch.areEqual(wanted.utf8.span, text)
        case .isHost(let wanted): return HostName.areSame(wanted.utf8.span, text)
        case .regex(let regex): return regex.matches(text)
        }
    }

    /// Compares bytes, not characters: String's own `==` treats different encodings of é as equal.
    private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

/// Searches for one byte string in another, ignoring the case of ASCII letters, in linear time
/// (Knuth–Morris–Pratt).
package struct ByteSearch: Sendable, Hashable {
    /// The bytes to search for, with ASCII letters in lower case.
    package let needle: [UInt8]
    /// The KMP failure table: for each matched length, the length that still matches if the next
    /// byte differs.
    private let fallback: [Int]

    package init(_ text: String) {
        needle = text.utf8.map(ByteSearch.lowercased)
        var table = Array(repeating: 0, count: needle.count)
        var matched = 0
        for index in needle.indices.dropFirst() {
            while matched > 0, needle[matched] != needle[index] { matched = table[matched - 1] }
            if needle[matched] == needle[index] { matched += 1 }
            table[index] = matched
        }
        fallback = table
    }

    /// The needle as text, for use as the argument of an SQL statement.
    package var needleText: String { String(decoding: needle, as: UTF8.self) }

    package func isFound(in text: Span<UInt8>) -> Bool {
        guard !needle.isEmpty else { return true }
        var matched = 0
        for index in text.indices {
            let byte = ByteSearch.lowercased(text[index])
            while matched > 0, needle[matched] != byte { matched = fallback[matched - 1] }
            if needle[matched] == byte { matched += 1 }
            if matched == needle.count { return true }
        }
        return false
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

/// An engine-independent query plan for a store: the tests and how they are combined. A
/// `FilterDialect` translates it into the engine's language.
package struct FilterPlan: Sendable {
    private let parts: [FilterExpression]

    init(_ expression: FilterExpression) {
        parts = if case .all(let parts) = expression { parts } else { [expression] }
    }

    /// The tests that every passing exchange satisfies, in the filter's order. An index can be used
    /// on them to reduce the number of rows.
    package var requiredTests: [FilterTest] { parts.flatMap(FilterPlan.requiredTests) }

    private static func requiredTests(of expression: FilterExpression) -> [FilterTest] {
        switch expression {
        case .all(let parts): parts.flatMap(requiredTests)
        case .test(let test): [test]
        case .everything, .any, .not: []
        }
    }

    /// Translates the plan. Exchanges that the condition lets through must also pass the predicate,
    /// which is nil if the condition decides alone.
    package func written<Dialect: FilterDialect>(
        in dialect: Dialect.Type
    ) -> (condition: Dialect.Condition, residual: FilterPredicate?) {
        var rest: [FilterExpression] = []
        let conditions = parts.map { part in
            let condition = FilterPlan.condition(for: part, isNegated: false, dialect)
            if !condition.isExact { rest.append(part) }
            return condition
        }
        return (
            .conjunction(conditions), rest.isEmpty ? nil : FilterPredicate(expression: .all(rest))
        )
    }

    /// `not` is pushed down to the tests, so that a part that the dialect cannot decide never turns
    /// "too many rows" into "too few".
    private static func condition<Dialect: FilterDialect>(
        for expression: FilterExpression, isNegated: Bool, _ dialect: Dialect.Type
    ) -> Dialect.Condition {
        switch expression {
        case .everything: return isNegated ? .none : .all
        case .not(let part): return condition(for: part, isNegated: !isNegated, dialect)
        case .all(let parts), .any(let parts):
            let isAll = if case .all = expression { !isNegated } else { isNegated }
            let conditions = parts.map { condition(for: $0, isNegated: isNegated, dialect) }
            return isAll ? .conjunction(conditions) : .disjunction(conditions)
        case .test(let test):
            let condition = dialect.condition(for: test)
            return isNegated ? condition.negated : condition
        }
    }
}

/// The part of a filter that an engine cannot decide: often regular expressions, header fields and
/// decoded bodies.
package struct FilterPredicate: Sendable {
    let expression: FilterExpression

    package func matches(_ subject: some FilterSubject) -> Bool {
        expression.decision(subject) == .passes
    }
}

/// Translates the tests of a filter into the query language of a store's engine.
package protocol FilterDialect {
    associatedtype Condition: FilterCondition
    /// Translates a test with the meaning of `FilterTest.decision`. If the engine cannot express
    /// the test completely, the condition lets more exchanges through and is not exact.
    static func condition(for test: FilterTest) -> Condition
}

/// A condition in the query language of a store's engine.
package protocol FilterCondition {
    /// Whether the condition decides by itself. An inexact one lets through at least every match.
    var isExact: Bool { get }
    /// The opposite if the condition is exact; otherwise a condition that lets everything through.
    var negated: Self { get }
    /// A condition that lets everything through.
    static var all: Self { get }
    /// A condition that lets nothing through.
    static var none: Self { get }
    /// Holds if all parts hold; `all` if there are no parts.
    static func conjunction(_ parts: [Self]) -> Self
    /// Holds if at least one part holds; `none` if there are no parts.
    static func disjunction(_ parts: [Self]) -> Self
}
