import Testing

@testable import ProxydCentralStore

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

/// The columns of a table, as the schema makes it.
struct TableDefinition {
    /// The types by the names of the columns.
    private(set) var types: [String: String] = [:]
    /// The columns that are never NULL.
    private(set) var required: Set<String> = []

    init(_ table: String) throws {
        let lines = CentralSchema.migrations.joined().split(separator: "\n")
        let head = "CREATE TABLE \(table) ("
        let start = try #require(lines.firstIndex { $0 == head })
        for line in lines[(start + 1)...] {
            if line.hasPrefix(")") { break }
            let words = line.split { $0 == " " || $0 == "," }
            guard words.count > 1, words[0] != "PRIMARY" else { continue }
            types[String(words[0])] = String(words[1])
            if line.contains("NOT NULL") { required.insert(String(words[0])) }
        }
        let added = "ALTER TABLE \(table) ADD COLUMN "
        for line in CentralAdditions.sql(after: .none).split(separator: "\n")
        where line.hasPrefix(added) {
            let words = line.dropFirst(added.count).split { $0 == " " || $0 == ";" }
            types[String(words[0])] = String(words[1])
        }
    }

    /// The number of bytes of each value of a column in binary format; nil if it varies.
    func width(of column: String) -> Int? {
        switch types[column] {
        case "boolean": 1
        case "smallint": 2
        case "integer": 4
        case "bigint", "timestamptz": 8
        default: nil
        }
    }
}
