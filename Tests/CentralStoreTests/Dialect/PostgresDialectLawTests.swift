import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

@testable import ProxydCentralStore
@testable import ProxydFilter

/// What holds for the SQL of all filters.
@Suite struct PostgresDialectLawTests {
    /// The filters of the corpus that are valid; not every field takes every operator and value.
    private static let filters = FilterCorpus.filters.filter { (try? WrittenFilter($0)) != nil }
    /// Those of them that are a single test.
    private static let tests = filters.filter { text in
        guard case .test? = (try? Filter.parse(text, now: 0))?.expression else { return false }
        return true
    }

    // MARK: Every filter

    @Test func `the SQL of every filter has one numbered placeholder for each argument`() throws {
        #expect(Self.filters.count > 750)
        for filter in Self.filters {
            for text in [filter, "not (\(filter))", "id=1 (\(filter)) host:a"] {
                let written = try WrittenFilter(text)
                #expect(written.placeholders == Array(1..<(written.arguments.count + 1)), "\(text)")
                #expect(!written.sql.unicodeScalars.contains("\u{1}"), "\(text)")
                #expect(Self.isClosed(written.sql), "\(text)")
            }
        }
    }

    @Test
    func `rows are filtered again after the query if and only if the filter's SQL is inexact`()
        throws
    {
        for filter in Self.filters {
            for text in [filter, "not (\(filter))", "\(filter) or \(filter)"] {
                let written = try WrittenFilter(text)
                #expect(written.isExact != written.hasResidual, "\(text)")
            }
        }
    }

    @Test func `negating a filter test that SQL cannot evaluate excludes no rows in SQL`() throws {
        var count = 0
        for filter in Self.tests {
            let written = try WrittenFilter(filter)
            guard !written.isExact else { continue }
            let negated = try WrittenFilter("not (\(filter))")
            #expect(negated.sql == "true" && negated.arguments == [], "\(filter)")
            #expect(negated.hasResidual, "\(filter)")
            count += 1
        }
        #expect(count > 100)
    }

    @Test func `the SQL of a negated filter also matches rows where the column is NULL`() throws {
        var count = 0
        for filter in Self.tests {
            let written = try WrittenFilter(filter)
            guard written.isExact else { continue }
            let negated = try WrittenFilter("!(\(filter))")
            #expect(negated.sql == "NOT coalesce(\(written.sql), false)", "\(filter)")
            #expect(negated.arguments == written.arguments && negated.isExact, "\(filter)")
            let again = try WrittenFilter("not not (\(filter))")
            #expect(again.sql == written.sql && again.arguments == written.arguments, "\(filter)")
            count += 1
        }
        #expect(count > 400)
    }

    /// Whether parentheses and quotes of an SQL text are closed.
    private static func isClosed(_ sql: String) -> Bool {
        var (depth, isInQuotes) = (0, false)
        for byte in sql.utf8 {
            switch byte {
            case UInt8(ascii: "'"): isInQuotes.toggle()
            case UInt8(ascii: "(") where !isInQuotes: depth += 1
            case UInt8(ascii: ")") where !isInQuotes: depth -= 1
            default: break
            }
            if depth < 0 { return false }
        }
        return depth == 0 && !isInQuotes
    }

    // MARK: Hostile texts

    /// All have three bytes or more: indexes are not asked for less.
    private static let needles = [
        "'; DROP TABLE x; --", "\u{1}\u{1}\u{1}", "a\u{1}%_\\'b", "$1 $2 $99", "%%%%", "____",
        "\\\\\\\\", "\\';--", "\"\"\" OR 1=1", "/* */", "$$ x $$", "E'\\x27'", "é\u{301}\u{202E}x",
        "\u{1}\u{301}\u{1}\u{200D}", "') OR true OR ('",
    ]

    @Test(arguments: needles)
    func `the SQL of a filter does not depend on the text that is searched for`(needle: String) {
        func written(_ field: FilterField, _ comparison: String, _ text: String) -> WrittenFilter? {
            let quoted = WrittenFilter.quoted(text)
            let name = field.takesName ? ".\(quoted)" : ""
            return try? WrittenFilter("\(field.rawValue)\(name)\(comparison)\(quoted)")
        }
        for field in FilterField.allCases {
            for comparison in ["=", ":"] {
                let harmless = written(field, comparison, "zqxj")
                let hostile = written(field, comparison, needle)
                #expect(hostile?.sql == harmless?.sql, "\(field)\(comparison)")
                #expect(hostile?.isExact == harmless?.isExact, "\(field)\(comparison)")
                let count = harmless?.arguments.count
                #expect(hostile?.arguments.count == count, "\(field)\(comparison)")
            }
        }
    }

    @Test(arguments: needles)
    func `filter text is passed to PostgreSQL as an argument, byte for byte`(needle: String) throws
    {
        let quoted = WrittenFilter.quoted(needle)
        let written = try WrittenFilter(
            "path=\(quoted) (tag=\(quoted) or not user=\(quoted)) param.\(quoted)=\(quoted)")
        #expect(written.arguments.count == 7)
        for argument in written.arguments {
            guard case .text(let text) = argument else {
                Issue.record("\(argument) is not a text")
                continue
            }
            #expect(text.utf8.elementsEqual(needle.utf8))
        }
        #expect(written.placeholders == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func `a store name in a filter is passed to PostgreSQL as an argument`() throws {
        let written = try WrittenFilter("id=\"'; DROP TABLE x; --:5\"")
        #expect(written.arguments == [.text("'; DROP TABLE x; --"), .integer(5)])
        #expect(!written.sql.contains("DROP"))
    }

    @Test(arguments: [
        ("100%_\\", "%100\\%\\_\\\\%"), ("%\u{301}", "%\\%\u{301}%"), ("\u{1}", "%\u{1}%"),
        ("ÄB", "%Äb%"), ("", "%%"),
    ])
    func `wildcards in a URL search are escaped in the LIKE pattern`(
        needle: String, pattern: String
    ) throws {
        let written = try WrittenFilter(WrittenFilter.quoted(needle))
        #expect(written.sql == "lower(\(CentralSchema.url)) LIKE $1")
        #expect(written.arguments == [.text(pattern)] && written.isExact)
    }

    // MARK: Every field

    private static let values = [
        "zqxj", "7", "2026-11-20", "h2", "yes", "10k", "250ms", "NOT_FOUND", "1005", "ci:7",
    ]

    @Test(arguments: FilterField.allCases)
    func `every field of the filter language can be translated into SQL`(field: FilterField) throws
    {
        let name = field.rawValue + (field.takesName ? ".zqxn" : "")
        var found: [WrittenFilter] = []
        for comparison in FilterOperator.allCases {
            for value in Self.values {
                let text = "\(name)\(comparison.rawValue)\(value)"
                guard let written = try? WrittenFilter(text) else { continue }
                found.append(written)
                #expect(written.placeholders == Array(1..<(written.arguments.count + 1)), "\(text)")
                #expect(!written.sql.contains("zqx"), "\(text)")
                let isDecided = comparison != .matches
                #expect(isDecided || written.hasResidual, "\(text)")
            }
        }
        #expect(!found.isEmpty)
    }
}

/// A filter as PostgreSQL is asked for it, at the start of 1970 and in UTC.
struct WrittenFilter {
    let sql: String
    let arguments: [CentralValue]
    let isExact: Bool
    /// Whether rows that are found must be looked at again.
    let hasResidual: Bool

    init(_ text: String) throws {
        let query = CentralQuery(try Filter.parse(text, now: 0, timeZone: .utc))
        sql = query.condition.numbered()
        arguments = query.condition.arguments
        isExact = query.condition.isExact
        hasResidual = query.residual != nil
    }

    /// A text in the quotes of the filter language.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }
        return "\"\(escaped.joined())\""
    }

    /// The numbers of the placeholders, in their order.
    var placeholders: [Int] {
        sql.split(separator: "$", omittingEmptySubsequences: false).dropFirst().map {
            Int($0.prefix { "0123456789".contains($0) }) ?? -1
        }
    }
}
