/// A GraphQL operation, reduced to what filters test.
public struct FilterGraphQLOperation: Sendable, Hashable {
    /// `query`, `mutation` or `subscription`; empty if the request has no document.
    public var type: String
    /// The operation's name; empty if it has none.
    public var name: String

    /// Creates an operation from its type and name.
    public init(type: String, name: String) {
        self.type = type
        self.name = name
    }
}

/// The part of a GraphQL operation that a test looks at.
package enum FilterGraphQLPart: Sendable, Hashable {
    /// The operation's name.
    case name
    /// The operation's type.
    case type

    func text(of operation: FilterGraphQLOperation) -> String {
        switch self {
        case .name: operation.name
        case .type: operation.type
        }
    }
}
