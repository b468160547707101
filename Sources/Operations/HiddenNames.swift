/// Names of fields and parameters whose values a user wants hidden, besides those that always are.
public struct HiddenNames: Sendable, Hashable {
    /// Names of header fields.
    public var fields: [String]
    /// Names of parameters: of a query, a form, JSON, a multipart body.
    public var parameters: [String]

    /// Creates a set of names, by default of none.
    public init(fields: [String] = [], parameters: [String] = []) {
        self.fields = fields
        self.parameters = parameters
    }
}
