/// Elements of an array.
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

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nested().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested() }
}
