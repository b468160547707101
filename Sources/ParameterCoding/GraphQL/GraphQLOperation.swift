/// An operation of GraphQL, as its document or request names it.
public struct GraphQLOperation: Sendable, Hashable, CustomStringConvertible {
    /// What an operation is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Reads.
        case query
        /// Changes something.
        case mutation
        /// Goes on with what happens.
        case subscription
    }

    /// What it is; nil where no document came with the request.
    public var kind: Kind?
    /// Its name, letters, digits and `_` of ASCII; nil where it has none.
    public var name: String?

    /// The longest name that is one, in bytes.
    public static let nameByteCountMax = 256

    /// An operation.
    public init(kind: Kind?, name: String?) {
        self.kind = kind
        self.name = name
    }

    /// `query GetUser`; what is not known is left out, and `persisted query` stands for nothing.
    public var description: String {
        let parts = [kind?.rawValue, name].compactMap { $0 }
        return parts.isEmpty ? "persisted query" : parts.joined(separator: " ")
    }

    /// Whether a text is a name (GraphQL, October 2021, §2.1.9), and no longer than any should be.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first),
            text.utf8.count <= nameByteCountMax
        else { return false }
        return text.utf8.allSatisfy(GraphQLScanner.isNameByte)
    }
}
