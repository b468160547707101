/// Fields and parameters of which the values are never to be stored.
public struct UnstoredNames: Sendable, Hashable {
    /// Names of header and trailer fields; case does not matter.
    public var fields: [String]
    /// Names of parameters of queries and bodies; case, `-` and `_` do not matter, and a part of a
    /// compound name counts, as `password` does in `user[password]`.
    public var parameters: [String]

    /// Names; none stores everything.
    public init(fields: [String] = [], parameters: [String] = []) {
        self.fields = fields
        self.parameters = parameters
    }

    /// Whether everything is stored.
    public var isEmpty: Bool { fields.isEmpty && parameters.isEmpty }
}
