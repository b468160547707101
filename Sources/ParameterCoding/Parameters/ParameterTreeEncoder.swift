/// Turns any `Encodable` into a `Parameter`, members in the order in which they are encoded.
///
/// - `Date` becomes `.date` and `Data` `.data`, whose form is the choice of who writes them.
/// - `Decimal` becomes `.decimal`; `URL` and `UUID` become their text.
/// - `Set` becomes `.set`. The members of a `Dictionary` are put in the order of their keys,
///   because a dictionary has none. Keys that look like numbers are keys like all others.
/// - A dictionary whose keys are neither text nor numbers, such as an enum's cases, encodes itself
///   as an array of keys and values in turn (`CodingKeyRepresentable` makes an object of it). Its
///   pairs are put in the order of the keys' text, so that equal values have equal trees.
public struct ParameterTreeEncoder: Sendable {
    /// How deep values may nest, those that stand for others included. Each level takes stack.
    public static let depthMax = 128

    /// What the types being encoded find in `Encoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    /// An encoder with nothing in its user info unless given.
    public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// The tree of a value.
    /// - Throws: `ParameterEncodingError.nestedTooDeeply`, or what the value itself throws.
    public func encode(_ value: some Encodable) throws -> Parameter {
        let node = TreeNode()
        let bounds = TreeBounds()
        try TreeEncoding(node: node, userInfo: userInfo, bounds: bounds).encode(value)
        guard !bounds.areExceeded else { throw TreeBounds.error }
        return node.parameter()
    }
}
