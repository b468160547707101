internal import ProxydStoreCoding

/// A row that the central store returned, in PostgreSQL's binary format.
package struct CentralRow: Sendable, StoredValues {
    /// The columns of a result.
    package struct Column: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The number of the type in `pg_type`.
        package let type: UInt32

        /// Creates a column.
        package init(name: String, type: UInt32) {
            self.name = name
            self.type = type
        }
    }

    /// What is known about the columns.
    package let columns: [Column]
    /// The values; nil for NULL.
    package let values: [[UInt8]?]

    /// Creates a row with a value for each column.
    package init(columns: [Column], values: [[UInt8]?]) {
        self.columns = columns
        self.values = values
    }

    /// The value as a number, or nil if it is not one; a truth value is 1 or 0, and a
    /// moment counts the microseconds since 2000.
    package func integer(_ index: Int) -> Int64? {
        guard let bytes = value(index) else { return nil }
        switch columns[index].type {
        case PostgresType.bigint where bytes.count == 8: return number(bytes)
        case PostgresType.timestamp where bytes.count == 8: return number(bytes)
        case PostgresType.integer where bytes.count == 4:
            return Int64(Int32(truncatingIfNeeded: number(bytes)))
        case PostgresType.smallint where bytes.count == 2:
            return Int64(Int16(truncatingIfNeeded: number(bytes)))
        case PostgresType.boolean where bytes.count == 1: return bytes[0] == 0 ? 0 : 1
        default: return nil
        }
    }

    /// The value as a text, or nil if it is not one.
    package func text(_ index: Int) -> String? {
        guard let bytes = value(index) else { return nil }
        switch columns[index].type {
        case PostgresType.text, PostgresType.name, PostgresType.varchar:
            return String(decoding: bytes, as: UTF8.self)
        default: return nil
        }
    }

    /// The bytes of a `bytea` or text, or nil if it is neither.
    package func bytes(_ index: Int) -> [UInt8]? {
        guard let bytes = value(index) else { return nil }
        switch columns[index].type {
        case PostgresType.bytea, PostgresType.text: return bytes
        default: return nil
        }
    }

    /// The numbers of a `bigint[]`; none if it is something else.
    package func integers(_ index: Int) -> [Int64] {
        elements(index, PostgresType.bigintArray, of: PostgresType.bigint).compactMap {
            $0.count == 8 ? number($0) : nil
        }
    }

    /// The texts of a `text[]`; none if it is something else.
    package func texts(_ index: Int) -> [String] {
        elements(index, PostgresType.textArray, of: PostgresType.text).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func value(_ index: Int) -> [UInt8]? {
        values.indices.contains(index) && columns.indices.contains(index) ? values[index] : nil
    }

    private func number(_ bytes: some Sequence<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The elements of a one-dimensional array that are not NULL; none if the column has another
    /// type.
    private func elements(_ index: Int, _ array: UInt32, of type: UInt32) -> [[UInt8]] {
        guard let bytes = value(index), columns[index].type == array, bytes.count >= 20,
            number(bytes[8..<12]) == Int64(type)
        else { return [] }
        var elements: [[UInt8]] = []
        var rest = bytes[20...]
        while rest.count >= 4 {
            let count = Int32(truncatingIfNeeded: number(rest.prefix(4)))
            rest = rest.dropFirst(4)
            // NULL has a length of -1.
            guard count >= 0 else { continue }
            guard rest.count >= Int(count) else { break }
            elements.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        return elements
    }
}
