/// A value that an SQL statement returns or takes.
public enum SQLValue: Sendable, Hashable {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL.
    case real(Double)
    /// TEXT; bytes that are not UTF-8 are replaced.
    case text(String)
    /// BLOB.
    case blob([UInt8])

    /// A text, or NULL for nil.
    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

    /// A number, or NULL for nil.
    package init(_ integer: Int64?) { self = integer.map(SQLValue.integer) ?? .null }
}
