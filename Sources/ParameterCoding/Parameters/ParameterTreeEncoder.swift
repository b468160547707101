internal import FoundationEssentials

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

    public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// - Throws: `ParameterEncodingError.nestedTooDeeply`, or an error of the value itself.
    public func encode(_ value: some Encodable) throws -> Parameter {
        let node = TreeNode()
        let bounds = TreeBounds()
        try TreeEncoding(node: node, userInfo: userInfo, bounds: bounds).encode(value)
        guard !bounds.areExceeded else { throw TreeBounds.error }
        return node.parameter()
    }
}

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
        node: TreeNode, codingPath: [any CodingKey] = [],
        userInfo: [CodingUserInfoKey: any Sendable], depth: Int = 0, bounds: TreeBounds
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

private protocol UnorderedElements {}
extension Set: UnorderedElements {}

private protocol UnorderedMembers {}
extension Dictionary: UnorderedMembers {}

/// Members of an object. Keys are always text: a key that looks like a number is not an index.
struct TreeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: TreeEncoding

    var codingPath: [any CodingKey] { encoding.codingPath }

    private func set(_ value: Parameter, _ key: Key) {
        encoding.node.member(key.stringValue).set(value)
    }

    private func nested(_ key: any CodingKey) -> TreeEncoding {
        encoding.nested(encoding.node.member(key.stringValue), key)
    }

    func encodeNil(forKey key: Key) { set(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) { set(.double(value), key) }
    func encode(_ value: Float, forKey key: Key) { set(TreeEncoding.parameter(value), key) }
    func encode(_ value: Int, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Int8, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Int16, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Int32, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Int64, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: UInt, forKey key: Key) { set(.uint(UInt64(value)), key) }
    func encode(_ value: UInt8, forKey key: Key) { set(.uint(UInt64(value)), key) }
    func encode(_ value: UInt16, forKey key: Key) { set(.uint(UInt64(value)), key) }
    func encode(_ value: UInt32, forKey key: Key) { set(.uint(UInt64(value)), key) }
    func encode(_ value: UInt64, forKey key: Key) { set(.uint(UInt64(value)), key) }
    func encode(_ value: Int128, forKey key: Key) { set(.decimal(value.description), key) }
    func encode(_ value: UInt128, forKey key: Key) { set(.decimal(value.description), key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try nested(key).encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested(TreeKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

struct TreeUnkeyedContainer: UnkeyedEncodingContainer {
    let encoding: TreeEncoding

    var codingPath: [any CodingKey] { encoding.codingPath }
    var count: Int { encoding.node.elementCount }

    private func append(_ value: Parameter) { encoding.node.appendElement().set(value) }

    private func nested() -> TreeEncoding {
        let key = TreeKey(intValue: count)
        return encoding.nested(encoding.node.appendElement(), key)
    }

    func encodeNil() { append(.null) }
    func encode(_ value: Bool) { append(.bool(value)) }
    func encode(_ value: String) { append(.string(value)) }
    func encode(_ value: Double) { append(.double(value)) }
    func encode(_ value: Float) { append(TreeEncoding.parameter(value)) }
    func encode(_ value: Int) { append(.int(Int64(value))) }
    func encode(_ value: Int8) { append(.int(Int64(value))) }
    func encode(_ value: Int16) { append(.int(Int64(value))) }
    func encode(_ value: Int32) { append(.int(Int64(value))) }
    func encode(_ value: Int64) { append(.int(Int64(value))) }
    func encode(_ value: UInt) { append(.uint(UInt64(value))) }
    func encode(_ value: UInt8) { append(.uint(UInt64(value))) }
    func encode(_ value: UInt16) { append(.uint(UInt64(value))) }
    func encode(_ value: UInt32) { append(.uint(UInt64(value))) }
    func encode(_ value: UInt64) { append(.uint(UInt64(value))) }
    func encode(_ value: Int128) { append(.decimal(value.description)) }
    func encode(_ value: UInt128) { append(.decimal(value.description)) }

    func encode<T: Encodable>(_ value: T) throws { try nested().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }
}

/// The container of a node with a single value.
struct TreeSingleValueContainer: SingleValueEncodingContainer {
    let encoding: TreeEncoding

    var codingPath: [any CodingKey] { encoding.codingPath }

    private func set(_ value: Parameter) { encoding.node.set(value) }

    func encodeNil() { set(.null) }
    func encode(_ value: Bool) { set(.bool(value)) }
    func encode(_ value: String) { set(.string(value)) }
    func encode(_ value: Double) { set(.double(value)) }
    func encode(_ value: Float) { set(TreeEncoding.parameter(value)) }
    func encode(_ value: Int) { set(.int(Int64(value))) }
    func encode(_ value: Int8) { set(.int(Int64(value))) }
    func encode(_ value: Int16) { set(.int(Int64(value))) }
    func encode(_ value: Int32) { set(.int(Int64(value))) }
    func encode(_ value: Int64) { set(.int(Int64(value))) }
    func encode(_ value: UInt) { set(.uint(UInt64(value))) }
    func encode(_ value: UInt8) { set(.uint(UInt64(value))) }
    func encode(_ value: UInt16) { set(.uint(UInt64(value))) }
    func encode(_ value: UInt32) { set(.uint(UInt64(value))) }
    func encode(_ value: UInt64) { set(.uint(UInt64(value))) }
    func encode(_ value: Int128) { set(.decimal(value.description)) }
    func encode(_ value: UInt128) { set(.decimal(value.description)) }

    func encode<T: Encodable>(_ value: T) throws { try encoding.replaced().encode(value) }
}

/// A node of the tree under construction; several encoders may share it.
final class TreeNode {
    private enum Content {
        case nothing
        case value(Parameter)
        case elements([TreeNode])
        case set([TreeNode])
        case members([Member])
    }

    private struct Member {
        let name: String
        var node: TreeNode
    }

    private var content = Content.nothing
    /// The position of each member by its name in UTF-8 (Swift treats equivalent names as equal);
    /// built once there are enough members to make a linear search slow.
    private var memberIndices: [[UInt8]: Int] = [:]
    private static let searchedMemberCountMax = 16

    func set(_ value: Parameter) { content = .value(value) }

    /// Makes this an empty array unless it already is an array.
    func becomeArray() {
        if case .elements = content { return }
        content = .elements([])
    }

    /// Makes this an empty object unless it already is an object.
    func becomeObject() {
        if case .members = content { return }
        memberIndices = [:]
        content = .members([])
    }

    /// Marks the order of the elements as insignificant.
    func elementsBecomeSet() {
        if case .elements(let nodes) = content { content = .set(nodes) }
    }

    /// Sorts members by name, or alternating keys and values by key: a dictionary has no order.
    func sortMembers() {
        if case .elements(let nodes) = content { return sortPairs(nodes) }
        guard case .members(var members) = content else { return }
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        memberIndices = [:]
        content = .members(members)
    }

    private func sortPairs(_ nodes: [TreeNode]) {
        guard nodes.count.isMultiple(of: 2) else { return }
        let pairs = stride(from: 0, to: nodes.count, by: 2).map { index in
            let key = nodes[index].parameter()
            let text = if case .string(let text) = key { text } else { String(describing: key) }
            return (text: text.utf8, nodes: nodes[index...index + 1])
        }
        content = .elements(
            pairs.sorted { $0.text.lexicographicallyPrecedes($1.text) }.flatMap(\.nodes))
    }

    var elementCount: Int {
        if case .elements(let nodes) = content { return nodes.count }
        return 0
    }

    func appendElement() -> TreeNode {
        let node = TreeNode()
        if case .elements(var nodes) = content {
            // Release it first, so that the array is changed in place.
            content = .nothing
            nodes.append(node)
            content = .elements(nodes)
        }
        return node
    }

    /// The member with a name, appended if there is none yet.
    func member(_ name: String) -> TreeNode {
        let node = TreeNode()
        guard case .members(var members) = content else { return node }
        if let index = memberIndex(name, in: members) { return members[index].node }
        content = .nothing
        members.append(Member(name: name, node: node))
        remember(name, at: members.count - 1)
        content = .members(members)
        return node
    }

    private func memberIndex(_ name: String, in members: [Member]) -> Int? {
        if members.count <= TreeNode.searchedMemberCountMax {
            return members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        }
        if memberIndices.count < members.count {
            for (index, member) in members.enumerated() {
                memberIndices[Array(member.name.utf8)] = index
            }
        }
        return memberIndices[Array(name.utf8)]
    }

    private func remember(_ name: String, at index: Int) {
        if index > TreeNode.searchedMemberCountMax { memberIndices[Array(name.utf8)] = index }
    }

    /// The finished value. A node to which nothing was written is an empty object.
    func parameter() -> Parameter {
        switch content {
        case .nothing: .object([])
        case .value(let value): value
        case .elements(let nodes): .array(nodes.map { $0.parameter() })
        case .set(let nodes): .set(nodes.map { $0.parameter() })
        case .members(let members):
            .object(members.map { Parameter.Member($0.name, $0.node.parameter()) })
        }
    }
}

/// The key of an element, or of a superclass's encoder.
struct TreeKey: CodingKey {
    static let `super` = TreeKey(stringValue: "super")

    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = intValue.description
        self.intValue = intValue
    }
}

/// Records whether values nest too deeply, for containers that cannot throw.
final class TreeBounds {
    static let error = ParameterEncodingError.nestedTooDeeply(
        depthMax: ParameterTreeEncoder.depthMax)

    var areExceeded = false
}
