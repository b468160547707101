/// One value of a stored row.
package enum StoredValue: Sendable, Hashable {
    /// No value.
    case null
    /// A number.
    case integer(Int64)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])

    /// A text, or no value for nil.
    package init(_ text: String?) { self = text.map(StoredValue.text) ?? .null }

    /// A number, or no value for nil.
    package init(_ integer: Int64?) { self = integer.map(StoredValue.integer) ?? .null }

    /// Bytes, or no value for nil.
    package init(_ bytes: [UInt8]?) { self = bytes.map(StoredValue.bytes) ?? .null }
}

/// The values of a row, held in memory.
extension [StoredValue]: StoredValues {
    /// The value as a number, or nil if it has another type.
    package func integer(_ index: Int) -> Int64? {
        if indices.contains(index), case .integer(let number) = self[index] { number } else { nil }
    }

    /// The value as a text, or nil if it has another type.
    package func text(_ index: Int) -> String? {
        if indices.contains(index), case .text(let text) = self[index] { text } else { nil }
    }

    /// The bytes of the value, or nil if it has another type.
    package func bytes(_ index: Int) -> [UInt8]? {
        if indices.contains(index), case .bytes(let bytes) = self[index] { bytes } else { nil }
    }
}
