internal import GRDB

/// Reads a row's columns without ever trapping: a damaged or hostile file may hold any type of
/// value anywhere, and GRDB's own conversions stop the program there.
struct ColumnReader {
    private let row: Row

    init(_ row: Row) { self.row = row }

    /// A number; nil for anything else.
    func integer(_ index: Int) -> Int64? {
        guard index < row.count else { return nil }
        if case .int64(let value) = (row[index] as DatabaseValue).storage { return value }
        return nil
    }

    /// A number that fits the machine's word; nil for anything else.
    func int(_ index: Int) -> Int? { integer(index).flatMap { Int(exactly: $0) } }

    /// A text; nil for anything else.
    func text(_ index: Int) -> String? {
        guard index < row.count else { return nil }
        if case .string(let value) = (row[index] as DatabaseValue).storage { return value }
        return nil
    }

    /// A text with all of its octets, where the statement casts it to a blob: `text` ends at a NUL.
    func wholeText(_ index: Int) -> String? {
        octets(index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Octets, of a text too; nil for anything else.
    func octets(_ index: Int) -> [UInt8]? {
        guard index < row.count else { return nil }
        switch (row[index] as DatabaseValue).storage {
        case .blob(let data): return Array(data)
        case .string(let text): return Array(text.utf8)
        default: return nil
        }
    }
}
