import ProxydCaptureModel
import Foundation
@testable import ProxydFilter
import ProxydTestSupport
import Testing

@testable import Capture

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
