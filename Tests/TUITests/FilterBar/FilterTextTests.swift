import ProxydCaptureModel
import ProxydFilter
import ProxydTestSupport
import Testing

@testable import ProxydTUI

/// Terms that are made of values of rows.
struct FilterTextTests {
    private static let texts = [
        "", "a", "/", "a b", "\"", "\\", "\\\"", "(", ")", "or", "not", "and", "~", "!", "=", "&",
        "|", "é", "e\u{301}", "日", "\u{1B}", "\t", "*", "[x]", "^$", "#",
    ]

    private func text(_ random: inout SplitMix) -> String {
        (0..<Int.random(in: 1..<4, using: &random)).map { _ in Self.texts.pick(&random) }.joined()
    }

    @Test func `a quoted filter value matches itself and no other value`() throws {
        var random = SplitMix(seed: 21)
        for _ in 0..<2_000 {
            let (one, other) = (text(&random), text(&random))
            guard !one.isEmpty else { continue }
            let filter = try Filter.parse("path=" + FilterText.quoted(one))
            #expect(filter.matches(RowSubject(row: Rows.row(1) { $0.path = one })), "\(one)")
            guard Array(one.utf8) != Array(other.utf8), one.lowercased() != other.lowercased()
            else { continue }
            let isMatched = filter.matches(RowSubject(row: Rows.row(1) { $0.path = other }))
            #expect(!isMatched, "\(one) | \(other)")
        }
    }

    @Test func `a regular expression made by escaping a text matches that text`() throws {
        var random = SplitMix(seed: 22)
        for _ in 0..<1_000 {
            let (one, other) = (text(&random), text(&random))
            guard !one.isEmpty else { continue }
            let pattern = FilterText.quoted(FilterText.escaped(one))
            let filter = try Filter.parse("path~\(pattern)")
            let row = Rows.row(1) { $0.path = other + one + other }
            #expect(filter.matches(RowSubject(row: row)), "\(one)")
        }
    }

    @Test(
        arguments: [
            ("", ["host=a"], "host=a"), ("status=404", ["host=a"], "status=404 host=a"),
            ("host=a", ["host=a"], "host=a"), ("a or b", ["host=a"], "(a or b) host=a"),
            ("path=\"a host=a b\"", ["host=a"], "path=\"a host=a b\" host=a"),
            ("(host=a or b) c", ["host=a"], "(host=a or b) c host=a"),
        ])
    func `a term that narrows a filter applies to the whole filter and is added only once`(
        filter: String, terms: [String], narrowed: String
    ) throws {
        #expect(FilterText.narrowed(try Filter.parse(filter), by: terms) == narrowed)
    }

    @Test
    func `a narrowed filter matches exactly the rows that match both the filter and the term`()
        throws
    {
        var random = SplitMix(seed: 23)
        let filters = [
            "", "host=a.test", "host=a.test or status=404", "not status=404", "\"a or b\"",
        ]
        let rows = (0..<40).map { id in
            Rows.row(id) {
                $0.host = ["a.test", "b.test"].pick(&random)
                $0.status = [200, 404].pick(&random)
                $0.path = ["/a or b", "/x"].pick(&random)
            }
        }
        for text in filters {
            for term in ["host=a.test", "host!=a.test", "status=404", "path=/x"] {
                let filter = try Filter.parse(text)
                let narrowed = try Filter.parse(FilterText.narrowed(filter, by: [term]))
                let alone = try Filter.parse(term)
                for row in rows.map({ RowSubject(row: $0) }) {
                    let isExpected = filter.matches(row) && alone.matches(row)
                    #expect(narrowed.matches(row) == isExpected, "\(text) + \(term)")
                }
            }
        }
    }
}
