internal import FoundationEssentials

/// The encoder that a value being encoded sees: it writes to one place of the tree.
struct TreeEncoding: Encoder {
    let node: TreeNode
    let codingPath: [any CodingKey]
    let sendableUserInfo: [CodingUserInfoKey: any Sendable]

    var userInfo: [CodingUserInfoKey: Any] { sendableUserInfo }

    init(
        node: TreeNode,
        codingPath: [any CodingKey],
        userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        self.node = node
        self.codingPath = codingPath
        sendableUserInfo = userInfo
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

    /// An encoder for a place further down.
    func nested(_ node: TreeNode, _ key: any CodingKey) -> TreeEncoding {
        TreeEncoding(node: node, codingPath: codingPath + [key], userInfo: sendableUserInfo)
    }

    /// Writes a value to this place: types with a meaning of their own as that, all others as
    /// they encode themselves.
    func encode(_ value: some Encodable) throws {
        if let scalar = TreeEncoding.scalar(value) { return node.set(scalar) }
        guard codingPath.count <= ParameterTreeEncoder.depthMax else {
            throw ParameterEncodingError.nestedTooDeeply(depthMax: ParameterTreeEncoder.depthMax)
        }
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

    /// The decimal digits of a `Float`: as a `Double` it would have digits nobody wrote.
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
