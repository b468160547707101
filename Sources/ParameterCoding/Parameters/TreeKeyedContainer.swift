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
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested(TreeKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}
