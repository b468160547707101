/// Names of fields and parameters whose values are never stored.
public struct UnstoredNames: Sendable, Hashable {
    /// Names of header and trailer fields, case-insensitive.
    public var fields: [String]
    /// Names of query and body parameters. Case, `-` and `_` are ignored, and a part of a compound
    /// name matches, as `password` does in `user[password]`.
    public var parameters: [String]

    /// Creates a set of names; without names everything is stored.
    public init(fields: [String] = [], parameters: [String] = []) {
        self.fields = fields
        self.parameters = parameters
    }

    /// Whether everything is stored.
    public var isEmpty: Bool { fields.isEmpty && parameters.isEmpty }
}
