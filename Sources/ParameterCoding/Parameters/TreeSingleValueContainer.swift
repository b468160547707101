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
