/// A value of a JSON text without children, and its path.
public struct JSONLeaf: Sendable, Hashable {
    /// The path: names joined with `.`, positions as `[2]`: `a.x[2].y`. Empty if the text is a
    /// single scalar. A name that is empty or contains `.`, `[`, `]` or `"` is a JSON string in
    /// brackets: `a["x.y"]`. `JSONValuePath` parses it.
    public let path: String
    /// The text of a string, the digits of a number, `true` or `false`; nil for null. An empty
    /// array or object is a leaf with the value `[]` or `{}`.
    public let value: String?

    /// A leaf at a path.
    public init(path: String, value: String?) {
        self.path = path
        self.value = value
    }
}
