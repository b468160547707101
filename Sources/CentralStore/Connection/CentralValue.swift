internal import ProxydCivilTime
internal import ProxydCaptureModel

/// A value that a statement on the central store takes, sent in PostgreSQL's binary format.
package enum CentralValue: Sendable, Hashable {
    /// NULL, of a type that the server infers.
    case null
    /// `bigint`.
    case integer(Int64)
    /// `text`. U+0000 becomes U+2400, because PostgreSQL has no text with NUL.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
    /// `boolean`.
    case boolean(Bool)
    /// `timestamptz`, in microseconds since 2000.
    case timestamp(Int64)
    /// `bigint[]`.
    case integers([Int64])
    /// `text[]`.
    case texts([String])
    /// A value of some type, encoded.
    case encoded(type: UInt32, [UInt8]?)

    package init(_ text: String?) { self = text.map(CentralValue.text) ?? .null }

    package init(_ integer: Int64?) { self = integer.map(CentralValue.integer) ?? .null }

    /// The number of the type in `pg_type`; 0 lets the server infer it.
    package var typeNumber: UInt32 {
        switch self {
        case .null: 0
        case .integer: PostgresType.bigint
        case .text: PostgresType.text
        case .bytes: PostgresType.bytea
        case .boolean: PostgresType.boolean
        case .timestamp: PostgresType.timestamp
        case .integers: PostgresType.bigintArray
        case .texts: PostgresType.textArray
        case .encoded(let type, _): type
        }
    }

    /// The value in binary format, or nil for NULL.
    package var encoded: [UInt8]? {
        var bytes: [UInt8] = []
        switch self {
        case .null: return nil
        case .integer(let number), .timestamp(let number): bytes.append(bigEndian: number)
        case .text(let text): bytes.append(cleaned: text)
        case .bytes(let bytes): return bytes
        case .boolean(let isTrue): bytes = [isTrue ? 1 : 0]
        case .integers(let numbers):
            bytes.appendArrayHead(count: numbers.count, of: PostgresType.bigint)
            for number in numbers {
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: number)
            }
        case .texts(let texts): bytes.appendArray(texts)
        case .encoded(_, let bytes): return bytes
        }
        return bytes
    }
}

/// The numbers of PostgreSQL's types that are used here (`pg_type.oid`); they never change.
package enum PostgresType {
    static let boolean: UInt32 = 16
    static let bytea: UInt32 = 17
    static let bigint: UInt32 = 20
    static let smallint: UInt32 = 21
    static let integer: UInt32 = 23
    static let text: UInt32 = 25
    static let real: UInt32 = 700
    static let double: UInt32 = 701
    static let timestamp: UInt32 = 1184
    static let bigintArray: UInt32 = 1016
    static let textArray: UInt32 = 1009
    static let name: UInt32 = 19
    static let varchar: UInt32 = 1043
}

extension [UInt8] {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a text as UTF-8, with U+2400 in place of U+0000.
    mutating func append(cleaned text: String) {
        let start = count
        append(contentsOf: text.utf8)
        guard self[start...].contains(0) else { return }
        let dirty = self[start...]
        replaceSubrange(start..., with: dirty.flatMap { $0 == 0 ? [0xE2, 0x90, 0x80] : [$0] })
    }

    /// Appends the head of a one-dimensional array without NULLs.
    mutating func appendArrayHead(count: Int, of type: UInt32) {
        append(bigEndian: Int32(count == 0 ? 0 : 1))
        append(bigEndian: Int32(0))
        append(bigEndian: type)
        guard count > 0 else { return }
        append(bigEndian: Int32(clamping: count))
        append(bigEndian: Int32(1))
    }

    mutating func appendArray(_ texts: [String]) {
        appendArrayHead(count: texts.count, of: PostgresType.text)
        for text in texts { appendSized { $0.append(cleaned: text) } }
    }

    /// Appends what the closure appends, after its length in four bytes.
    mutating func appendSized(_ body: (inout [UInt8]) -> Void) {
        let place = count
        append(bigEndian: Int32(0))
        body(&self)
        let length = Int32(clamping: count - place - 4)
        Swift.withUnsafeBytes(of: length.bigEndian) {
            replaceSubrange(place..<(place + 4), with: $0)
        }
    }
}

/// A row that the central store returned, in PostgreSQL's binary format.
package struct CentralRow: Sendable, StoredValues {
    /// The columns of a result.
    package struct Column: Sendable, Hashable {
        package let name: String
        /// The number of the type in `pg_type`.
        package let type: UInt32

        package init(name: String, type: UInt32) {
            self.name = name
            self.type = type
        }
    }

    package let columns: [Column]
    /// Nil for NULL.
    package let values: [[UInt8]?]

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

    /// The numbers of a `bigint[]`; empty for other types.
    package func integers(_ index: Int) -> [Int64] {
        elements(index, PostgresType.bigintArray, of: PostgresType.bigint).compactMap {
            $0.count == 8 ? number($0) : nil
        }
    }

    /// The texts of a `text[]`; empty for other types.
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

    /// The non-NULL elements of a one-dimensional array; empty for columns of another type.
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

/// Moments as PostgreSQL counts them: microseconds since 2000-01-01 UTC.
package enum CentralTime {
    private static let epoch: Int64 = 946_684_800_000_000
    /// Before every exchange, and within what PostgreSQL can count: 4713 BC.
    package static let earliest: Int64 = -211_813_488_000_000_000
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// A moment in nanoseconds since 1970, rounded down.
    package static func microseconds(ns: Int64) -> Int64 {
        ns.flooredDivision(by: 1_000).quotient - epoch
    }

    /// The days since 2000-01-01 of a moment in nanoseconds since 1970.
    package static func day(ns: Int64) -> Int64 {
        microseconds(ns: ns).flooredDivision(by: dayMicroseconds).quotient
    }

    /// The start of the day of a moment, both in microseconds since 2000.
    package static func startOfDay(microseconds: Int64) -> Int64 {
        self.microseconds(day: microseconds.flooredDivision(by: dayMicroseconds).quotient)
    }

    /// The start of a day, in microseconds since 2000.
    package static func microseconds(day: Int64) -> Int64 { day &* dayMicroseconds }
}
