/// A value of a JSON text that has no values inside, with the path to it.
public struct JSONLeaf: Sendable, Hashable {
    /// The path: names joined with `.`, positions as `[2]`: `a.x[2].y`. Empty for a text that is
    /// one scalar. A name that is empty or has a `.`, `[`, `]` or `"` in it is a JSON string in
    /// brackets: `a["x.y"]`. `JSONValuePath` reads it.
    public let path: String
    /// A string's text, a number's digits, `true`, `false`; nil for null. An empty array or
    /// object is a leaf, `[]` or `{}`.
    public let value: String?

    /// A leaf at a path.
    public init(path: String, value: String?) {
        self.path = path
        self.value = value
    }
}
