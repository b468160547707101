/// The input of a filter: one exchange, stored or live.
///
/// The store's readers and the live views implement it. Expensive values (heads, bodies) are
/// requested only if the filter needs them and no cheaper test has decided.
public protocol FilterSubject {
    /// Whether the values that become known at a moment are known. Unknown values are never
    /// requested, except the parameters of a body that is still arriving and the messages so far.
    func isKnown(_ moment: FilterMoment) -> Bool
    /// The text in a column, or nil if the exchange has none.
    func text(_ column: FilterTextColumn) -> String?
    /// The number in a column, or nil if the exchange has none.
    func number(_ column: FilterNumberColumn) -> Int64?
    /// The tags of the exchange.
    var tags: [String] { get }
    /// The values of all decoded parameters with this name, nil for a bare flag and for JSON's
    /// null. Parameters of the query are available once the request's head is known, all others
    /// once its body is known.
    func parameterValues(named name: String) -> [String?]
    /// The field lines of a message's head; empty if there is none.
    func headerFields(of side: FilterSide) -> [(name: String, value: String)]
    /// The field lines of a message's trailer section; empty if it has none.
    func trailerFields(of side: FilterSide) -> [(name: String, value: String)]
    /// A message's stored body with its content codings removed, as UTF-8 if it is text in a known
    /// charset; nil if no body was stored.
    func decodedBody(of side: FilterSide) -> [UInt8]?
    /// The values of the leaves at a path of the response's JSON, such as `a.x[2].y`, with nil for
    /// JSON's null; empty if there are none or the body is not JSON.
    func responseJSONValues(at path: String) -> [String?]
    /// The names of the rules that applied.
    var appliedRules: [String] { get }
    /// Whether `holds` is true for one of the exchange's messages so far. It is called with each
    /// message in order until it returns true.
    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool
    /// The GraphQL operations of the request; empty if it is not a GraphQL request.
    var graphQLOperations: [FilterGraphQLOperation] { get }
}

extension FilterSubject {
    /// Returns true: everything is known of an exchange in the store.
    public func isKnown(_ moment: FilterMoment) -> Bool { true }
}
