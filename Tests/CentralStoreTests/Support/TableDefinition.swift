import Testing

@testable import ProxydCentralStore

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
