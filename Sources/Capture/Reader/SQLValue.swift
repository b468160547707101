/// A value that an SQL statement gave.
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
}
