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

    /// A text, or NULL for nil.
    package init(_ text: String?) { self = text.map(CentralValue.text) ?? .null }

    /// A number, or NULL for nil.
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
        for text in texts {
            let place = count
            append(bigEndian: Int32(0))
            append(cleaned: text)
            let length = Int32(clamping: count - place - 4)
            Swift.withUnsafeBytes(of: length.bigEndian) { bytes in
                for index in 0..<4 { self[place + index] = bytes[index] }
            }
        }
    }
}
