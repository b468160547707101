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
