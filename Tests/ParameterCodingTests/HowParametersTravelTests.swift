import Foundation
import ProxydParameterCoding
import Testing

/// The documentation page tells what is true.
@Suite struct HowParametersTravelTests {
    @Test(arguments: try DocumentationTable.all())
    func `every example on the documentation page about parameters gives the output shown there`(
        table: DocumentationTable
    ) throws {
        #expect(!table.rows.isEmpty)
        for row in table.rows {
            let outputs = try DocumentationRow(table: table.title, cells: row.cells).outputs()
            // Only lists, in the last column, are of several codes; `none` of no one.
            let isList = table.title.hasSuffix("| Guesses") || table.title.hasSuffix("| Warnings")
            let expected =
                isList
                ? [row.cells[row.cells.count - 2]] + row.lastCodes
                : Array(row.cells.suffix(outputs.count))
            #expect(outputs == expected, "\(row.testDescription)")
        }
    }

    @Test func `the documentation page about parameters has 30 tables and at least 160 rows`()
        throws
    {
        let tables = try DocumentationTable.all()
        #expect(tables.count == 30)
        #expect(tables.reduce(0) { $0 + $1.rows.count } >= 160)
    }
}

/// A table of the documentation page "How parameters travel".
struct DocumentationTable: CustomTestStringConvertible {
    struct Row: CustomTestStringConvertible {
        /// What is in each column: code without its backticks, other text as it is.
        let cells: [String]
        /// The codes of the last column.
        let lastCodes: [String]

        var testDescription: String { cells.joined(separator: " | ") }
    }

    /// The heading above and the titles of the columns.
    let title: String
    let rows: [Row]

    var testDescription: String { title }

    private static let page: URL = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../Sources/ClientLib/ClientLib.docc/HowParametersTravel.md")
        .standardized

    /// All tables of the page in their order.
    static func all() throws -> [DocumentationTable] {
        let text = try String(contentsOf: page, encoding: .utf8)
        var tables: [DocumentationTable] = []
        var heading = ""
        var lines: [String] = []
        for line in text.components(separatedBy: "\n") + [""] {
            if line.hasPrefix("|") {
                lines.append(line)
                continue
            }
            if let titles = lines.first {
                let columns = cells(titles).map { $0.replacing("`", with: "") }
                let rows = lines.dropFirst(2).map { line in
                    let cells = cells(line)
                    return Row(cells: cells.map(plain), lastCodes: codes(cells.last ?? ""))
                }
                tables.append(
                    DocumentationTable(
                        title: ([heading] + columns).joined(separator: " | "), rows: rows))
            }
            lines = []
            if line.hasPrefix("#") { heading = String(line.drop { $0 == "#" }.dropFirst()) }
        }
        return tables
    }

    private static func cells(_ line: String) -> [String] {
        line.dropFirst().dropLast().components(separatedBy: "|")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func plain(_ cell: String) -> String {
        if cell == "*nothing*" { return "" }
        let isCode = cell.hasPrefix("`") && cell.hasSuffix("`") && cell.count >= 2
        return isCode ? String(cell.dropFirst().dropLast()) : cell
    }

    private static func codes(_ cell: String) -> [String] {
        cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 0 }
            .map { String($0.element) }.filter { $0 != "none" }
    }
}
