/// A GraphQL operation, as its document or request names it.
public struct GraphQLOperation: Sendable, Hashable, CustomStringConvertible {
    /// The type of an operation.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An operation that reads data.
        case query
        /// An operation that changes data.
        case mutation
        /// An operation that subscribes to events.
        case subscription
    }

    /// The type; nil if the request has no document.
    public var kind: Kind?
    /// The name, consisting of ASCII letters, digits and `_`; nil if it has none.
    public var name: String?

    /// The maximum length of a name, in bytes.
    public static let nameByteCountMax = 256

    /// Creates an operation from its type and name.
    public init(kind: Kind?, name: String?) {
        self.kind = kind
        self.name = name
    }

    /// `query GetUser`; unknown parts are left out, or `persisted query` if nothing is known.
    public var description: String {
        let parts = [kind?.rawValue, name].compactMap { $0 }
        return parts.isEmpty ? "persisted query" : parts.joined(separator: " ")
    }

    /// Whether a text is a valid name (GraphQL, October 2021, §2.1.9) within the maximum length.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first),
            text.utf8.count <= nameByteCountMax
        else { return false }
        return text.utf8.allSatisfy(GraphQLScanner.isNameByte)
    }
}
