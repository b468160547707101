import Testing

/// The rows of a binary COPY, read as PostgreSQL's manual describes them (COPY, "Binary Format").
struct CopyRows {
    /// The values of a row by their columns. NULL is absent.
    struct Row: Hashable {
        let values: [String: [UInt8]]

        subscript(column: String) -> [UInt8]? { values[column] }

        /// A number of any width.
        func integer(_ column: String) -> Int64? { values[column].map(CopyRows.number) }

        func text(_ column: String) -> String? {
            values[column].map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The signature, no flags, no extension.
    private static let head: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    /// The columns that the statement names.
    let columns: [String]
    /// Each row has a value for every column.
    let rows: [Row]

    init(_ request: ScriptedConnection.Request) throws {
        let list = try #require(request.sql.split(separator: "(").dropFirst().first)
        let inner = try #require(list.split(separator: ")").first)
        let names = inner.split(separator: ", ").map { String($0) }
        let copied = try #require(request.copied)
        var cursor = Cursor(rest: copied[...])
        let head = try cursor.take(19)
        try #require(head == CopyRows.head)
        var found: [Row] = []
        while let row = try cursor.row(of: names) { found.append(row) }
        try #require(cursor.rest == [])
        columns = names
        rows = found
    }

    /// A number in two's complement, the first byte first.
    fileprivate static func number(_ bytes: [UInt8]) -> Int64 {
        let start: Int64 = (bytes.first ?? 0) < 0x80 ? 0 : -1
        return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }

    private struct Cursor {
        var rest: ArraySlice<UInt8>

        mutating func take(_ count: Int) throws -> [UInt8] {
            let isThere = count >= 0 && rest.count >= count
            try #require(isThere)
            let taken = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            return taken
        }

        /// The next row; nil at the end.
        mutating func row(of columns: [String]) throws -> Row? {
            let count = CopyRows.number(try take(2))
            guard count != -1 else { return nil }
            try #require(count == Int64(columns.count))
            var values: [String: [UInt8]] = [:]
            for column in columns {
                let length = CopyRows.number(try take(4))
                if length != -1 { values[column] = try take(Int(length)) }
            }
            return Row(values: values)
        }
    }
}
