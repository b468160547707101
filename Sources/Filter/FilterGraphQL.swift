/// An operation of GraphQL as filters see it.
public struct FilterGraphQLOperation: Sendable, Hashable {
    /// `query`, `mutation` or `subscription`; empty where no document came.
    public var type: String
    /// Its name; empty where it has none.
    public var name: String

    /// An operation.
    public init(type: String, name: String) {
        self.type = type
        self.name = name
    }
}

/// What of an operation of GraphQL a test looks at.
package enum FilterGraphQLPart: Sendable, Hashable {
    /// The name.
    case name
    /// The type.
    case type

    func text(of operation: FilterGraphQLOperation) -> String {
        switch self {
        case .name: operation.name
        case .type: operation.type
        }
    }
}
