/// What a filter looks at: one exchange, wherever it is.
///
/// The store's readers and the live views implement it; what is dear (heads, bodies) is asked
/// for only when the filter speaks of it and everything cheaper has not decided.
public protocol FilterSubject {
    /// Whether what becomes known at a moment is known. What is not is never asked for, but for
    /// the parameters of a body that is still coming, and the messages so far.
    func isKnown(_ moment: FilterMoment) -> Bool
    /// A text; nil where the exchange has none.
    func text(_ column: FilterTextColumn) -> String?
    /// A number; nil where the exchange has none.
    func number(_ column: FilterNumberColumn) -> Int64?
    /// The tags.
    var tags: [String] { get }
    /// The values of all decoded parameters of this name, nil for a bare flag and JSON's null. From
    /// the request's head on those of the query, from its body on all.
    func parameterValues(named name: String) -> [String?]
    /// The field lines of a message's head; empty where there is none.
    func headerFields(of side: FilterSide) -> [(name: String, value: String)]
    /// The field lines of a message's trailer section; empty if it has none.
    func trailerFields(of side: FilterSide) -> [(name: String, value: String)]
    /// A message's kept body with its content-codings undone; nil where nothing was kept.
    func decodedBody(of side: FilterSide) -> [UInt8]?
    /// The values of the leaves at a path of the response's JSON, `a.x[2].y`, nil for JSON's null;
    /// empty where there are none, or no JSON.
    func responseJSONValues(at path: String) -> [String?]
    /// The names of the rules that applied.
    var appliedRules: [String] { get }
    /// Whether one of the exchange's messages holds; `holds` is asked about one after the other,
    /// in their order, until it says so. Those that have come so far.
    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool
    /// The operations of GraphQL that the request asks for; empty where it is none.
    var graphQLOperations: [FilterGraphQLOperation] { get }
}

extension FilterSubject {
    /// Everything is known of an exchange in the store.
    public func isKnown(_ moment: FilterMoment) -> Bool { true }
}
