internal import FoundationEssentials

/// The encoder passed to a value; it writes to one node of the tree.
struct TreeEncoding: Encoder {
    let node: TreeNode
    let codingPath: [any CodingKey]
    let sendableUserInfo: [CodingUserInfoKey: any Sendable]
    /// The number of values being encoded around this node, including replacements at the same
    /// node, for which the coding path does not grow.
    private let depth: Int
    private let bounds: TreeBounds

    var userInfo: [CodingUserInfoKey: Any] { sendableUserInfo }

    init(
        node: TreeNode,
        codingPath: [any CodingKey] = [],
        userInfo: [CodingUserInfoKey: any Sendable],
        depth: Int = 0,
        bounds: TreeBounds
    ) {
        self.node = node
        self.codingPath = codingPath
        sendableUserInfo = userInfo
        self.depth = depth
        self.bounds = bounds
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(TreeKeyedContainer<Key>(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return TreeUnkeyedContainer(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        TreeSingleValueContainer(encoding: self)
    }

    /// An encoder for a nested node. Nested containers cannot throw: values that are too deep are
    /// written to a node outside the tree, and the bounds record it. Their paths no longer grow, as
    /// copying the path at each level would take time quadratic in the depth.
    func nested(_ node: TreeNode, _ key: any CodingKey) -> TreeEncoding {
        let isTooDeep = depth > ParameterTreeEncoder.depthMax
        if isTooDeep { bounds.areExceeded = true }
        return TreeEncoding(
            node: isTooDeep ? TreeNode() : node,
            codingPath: isTooDeep ? codingPath : codingPath + [key],
            userInfo: sendableUserInfo, depth: depth + 1, bounds: bounds)
    }

    /// An encoder for a value that replaces another one at the same node.
    func replaced() -> TreeEncoding {
        TreeEncoding(
            node: node, codingPath: codingPath, userInfo: sendableUserInfo, depth: depth + 1,
            bounds: bounds)
    }

    /// Writes a value to this node: known types by their meaning, all others by their own encoding.
    func encode(_ value: some Encodable) throws {
        if let scalar = TreeEncoding.scalar(value) { return node.set(scalar) }
        guard depth <= ParameterTreeEncoder.depthMax else { throw TreeBounds.error }
        try value.encode(to: self)
        if value is any UnorderedElements { node.elementsBecomeSet() }
        if value is any UnorderedMembers { node.sortMembers() }
    }

    private static func scalar(_ value: some Encodable) -> Parameter? {
        switch value {
        case let date as Date:
            .date(ParameterDate(secondsSince2001: date.timeIntervalSinceReferenceDate))
        case let data as Data: .data(Array(data))
        case let decimal as Decimal: .decimal(decimal.description)
        case let url as URL: .string(url.absoluteString)
        case let uuid as UUID: .string(uuid.uuidString)
        default: nil
        }
    }

    /// The decimal digits of a `Float`: converted to `Double` it would have additional digits.
    static func parameter(_ number: Float) -> Parameter {
        .double(Double(number.description) ?? Double(number))
    }
}

/// A container whose elements have no order.
private protocol UnorderedElements {}
extension Set: UnorderedElements {}

/// A container whose members have no order.
private protocol UnorderedMembers {}
extension Dictionary: UnorderedMembers {}
