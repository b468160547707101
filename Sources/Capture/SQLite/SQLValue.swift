/// A value that an SQL statement gives, or is given.
public enum SQLValue: Sendable, Hashable {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL.
    case real(Double)
    /// TEXT; what is no UTF-8 is replaced.
    case text(String)
    /// BLOB.
    case blob([UInt8])

    /// A text; NULL for nil.
    init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

    /// A number; NULL for nil.
    init(_ integer: Int64?) { self = integer.map(SQLValue.integer) ?? .null }
}
