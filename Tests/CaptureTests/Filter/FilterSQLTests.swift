import Foundation
import ProxydCaptureModel
import ProxydFilterTestSupport
import ProxydTestSupport
import Testing

@testable import Capture
@testable import ProxydFilter

/// The SQL of every field with every operator, in a golden file: what a change of the compiler may
/// change only where that is wanted.
@Suite struct FilterSQLTests {
    @Test func `every filter field and operator compiles to the SQL in the golden file`() throws {
        var lines: [String] = []
        for field in FilterField.allCases {
            for comparison in FilterOperator.allCases {
                lines += Self.lines("\(field.rawValue)\(comparison.rawValue)7")
            }
        }
        for entry in FilterManual.sections.flatMap(\.entries) {
            // Those of times depend on where the test runs.
            for example in entry.examples where !example.filter.contains("time") {
                lines += Self.lines(example.filter)
            }
        }
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Golden/filters.txt")
        let found = lines.map { $0 + "\n" }.joined()
        let wanted = try GoldenFile.wanted(at: url, found: found)
        let difference = zip(wanted.split(separator: "\n"), found.split(separator: "\n"))
            .first { $0 != $1 }
        #expect(difference == nil)
        #expect(found.count == wanted.count)
    }

    private static func lines(_ text: String) -> [String] {
        do throws(FilterError) {
            let compiled = try Filter.parse(text, now: 50_000_000_000).compile()
            let rest = compiled.residual == nil ? "" : ", and the predicate"
            let values = compiled.arguments.map(Self.text).joined(separator: ", ")
            return [text, "  \(compiled.sqlCondition)\(rest)", "  [\(values)]"]
        } catch {
            return [text, "  \(error)"]
        }
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): "\(text.debugDescription)"
        case .blob(let bytes): "\(bytes)"
        }
    }
}

/// Whatever is typed reaches SQL as an argument only.
@Suite struct FilterInjectionTests {
    private static let vectors = RepositoryFiles.root.deletingLastPathComponent()
        .appending(path: "shared/vectors/strings/blns.json")
    private static let hasVectors = FileManager.default.fileExists(atPath: vectors.path)

    private static let attacks = [
        "' OR '1'='1", "'; DROP TABLE exchange; --", "\" OR 1=1 --", "%", "_", "%' --", "\\", "?",
        "?1", ":a", "@a", "$a", "x') UNION SELECT 1 --", "/* */", "]]", "NULL", "1e999", "0x1",
        "a' || (SELECT octets FROM head) || '", "ATTACH DATABASE 'x' AS y", "randomblob(1e9)",
    ]

    private static let prefixes = [
        "", "method=", "host:", "host=", "port:", "path:", "url=", "query:", "scheme=", "status:",
        "type=", "header.A:", "reqheader.A=", "param.a=", "param.a:", "body:", "reqbody=",
        "resbody:", "client:", "process=", "error:", "state:", "tag=", "tag:", "note:", "note=",
        "id:", "not host:", "not param.a=",
    ]

    @Test func `SQL injection attempts in any filter field are passed as bound SQL arguments`()
        throws
    {
        try run(FilterInjectionTests.attacks)
    }

    @Test(.enabled(if: hasVectors, "the shared vectors are not here"))
    func `strings of the Big List of Naughty Strings are passed as bound SQL arguments`() throws {
        let data = try Data(contentsOf: FilterInjectionTests.vectors)
        try run(try JSONDecoder().decode([String].self, from: data))
    }

    @Test func `the SQL condition of a filter contains none of the filter's text`() throws {
        for prefix in FilterInjectionTests.prefixes {
            let condition = try Filter.parse("\(prefix)zqxj").compile().sqlCondition
            #expect(!condition.contains("zqxj"), "\(prefix)")
        }
        #expect(!(try Filter.parse("param.zqxj=1").compile().sqlCondition.contains("zqxj")))
    }

    /// Each text as word, value and name: two rows, one of which holds the text everywhere.
    private func run(_ texts: [String]) throws {
        for text in texts where !text.isEmpty {
            let store = try FilterStore([FilterInjectionTests.row(full: text), FilterRow()])
            for prefix in FilterInjectionTests.prefixes {
                let filter = try Filter.parse(prefix + FilterInjectionTests.quoted(text))
                let found = try store.ids(matching: filter)
                #expect(found == store.idsByPredicate(matching: filter), "\(prefix)\(text)")
            }
            for name in ["param", "header"] {
                let quoted = FilterInjectionTests.quoted(text)
                let filter = try Filter.parse("\(name).\(quoted)=\(quoted)")
                #expect(try store.ids(matching: filter) == [9], "\(name) \(text)")
            }
            #expect(try store.database.integer("SELECT count(*) FROM exchange") == 2)
        }
    }

    private static func row(full text: String) -> FilterRow {
        .with { row in
            row.id = 9
            for column in FilterTextColumn.allCases where column != .state && column != .error {
                row.texts[column] = text
            }
            row.texts[.error] = "client loop: \(text)"
            row.tags = [text]
            row.parameters = [("a", text), (text, text)]
            row.headers = [.request: [("A", text), (text, text)]]
            row.bodies = [.request: Array(text.utf8), .response: Array(text.utf8)]
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }
        return "\"\(escaped.joined())\""
    }
}
