/// Encodes any `Encodable` as a `Parameter`, with members in the order of encoding.
///
/// - `Date` becomes `.date` and `Data` `.data`, whose form is the choice of who writes them.
/// - `Decimal` becomes `.decimal`; `URL` and `UUID` become their text.
/// - `Set` becomes `.set`. The members of a `Dictionary` are put in the order of their keys,
///   because a dictionary has none. Keys that look like numbers are keys like all others.
/// - A dictionary whose keys are neither text nor numbers, such as an enum's cases, encodes itself
///   as an array of keys and values in turn (`CodingKeyRepresentable` makes an object of it). Its
///   pairs are put in the order of the keys' text, so that equal values have equal trees.
public struct ParameterTreeEncoder: Sendable {
    /// The maximum nesting depth of values, including replacements. Each level uses stack.
    public static let depthMax = 128

    /// The `Encoder.userInfo` for the types being encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    /// Creates an encoder; its user info is empty by default.
    public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// Encodes a value as a tree.
    /// - Throws: `ParameterEncodingError.nestedTooDeeply`, or an error of the value itself.
    public func encode(_ value: some Encodable) throws -> Parameter {
        let node = TreeNode()
        let bounds = TreeBounds()
        try TreeEncoding(node: node, userInfo: userInfo, bounds: bounds).encode(value)
        guard !bounds.areExceeded else { throw TreeBounds.error }
        return node.parameter()
    }
}
