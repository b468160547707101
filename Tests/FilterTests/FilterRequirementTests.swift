import ProxydFilterTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydFilter

/// What a filter requires of every exchange that passes it: rules are looked up by it.
@Suite struct FilterRequirementTests {
    @Test(arguments: [
        ("host=a.test", "a.test"), ("host=A.Test.", "a.test"), ("path=/x host=a.test", "a.test"),
        ("(host=a.test status=200)", "a.test"), ("host=a.test host=b.test", "a.test"),
        ("host=a.test or host=b.test", nil), ("not host=a.test", nil), ("host!=a.test", nil),
        ("host:a.test", nil), ("host~^a", nil), ("~d a.test", nil), ("path=/x", nil), ("", nil),
        ("host=a.test (path=/x or status=200)", "a.test"), ("host=\"\"", ""),
    ])
    func `a filter requires a host only if exchanges with other hosts cannot match`(
        text: String, host: String?
    ) throws {
        #expect(try Filter.parse(text).requiredHost == host)
    }

    /// A rule that is kept for one host must not miss an exchange.
    @Test(arguments: 0..<4)
    func `every exchange that matches a random filter has the host that the filter requires`(
        seed: Int
    ) throws {
        var random = SplitMix(seed: UInt64(seed))
        let hosts = ["a.test", "b.test"]
        let parts = hosts.flatMap { ["host=\($0)", "host:\($0)", "host!=\($0)"] } + ["path=/x"]
        for _ in 0..<300 {
            let text = (0..<3).map { _ in parts.pick(&random) }
                .reduce("path:/") { joined, part in
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: "(\(joined)) or \(part)"
                    case 1: "not (\(joined)) \(part)"
                    default: "(\(joined)) \(part)"
                    }
                }
            let filter = try Filter.parse(text)
            guard let required = filter.requiredHost else { continue }
            for host in hosts where filter.matches(FilterRow.with { $0.texts[.host] = host }) {
                #expect(host == required, "\(text)")
            }
        }
    }

    @Test func `the column of a filter error counts Unicode scalars, not bytes`() {
        for (text, column) in [
            ("path:é hots:a", 8), ("\"日本\" hots:a", 6), ("😀 hots:a", 3), ("é\u{301} hots:a", 4),
        ] {
            let error = #expect(throws: FilterError.self) { _ = try Filter.parse(text) }
            #expect(error?.column == column, "\(text): \(error?.description ?? "")")
        }
    }

    @Test(arguments: [
        "hots:a", "host:", "(a", "~zz", "status>x", "path~(", "\"a", "a or", "param=1", "ws.x:a",
    ])
    func `the message of a filter error is one line in lower case without a final full stop`(
        text: String
    ) {
        let error = #expect(throws: FilterError.self) { _ = try Filter.parse(text) }
        let message = error?.message ?? ""
        #expect(!message.isEmpty && !message.contains("\n") && !message.hasSuffix("."))
        #expect(message.first?.isUppercase != true, "\(message)")
    }

    /// Whatever is typed is a filter or a mistake within the text.
    @Test
    func `random filter texts do not crash the parser, and error columns are within the text`() {
        var random = SplitMix(seed: 11)
        let pieces = [
            "host", "status", ":", "=", "~", "<", ">=", "!", "(", ")", "or", "and", "not", " ",
            "\"", "'", "4xx", "-15m", "10k", "é", "param.", "ws.", "~u", "|", "&", "\\", "[", "*",
            "header.x", "é:", "id=", "a:1", "time", "2026-11-20", "\u{0}",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<9, using: &random)
            let text = (0..<count).map { _ in pieces.pick(&random) }.joined()
            do {
                let filter = try Filter.parse(text, now: 0)
                #expect(filter.text == text || !filter.text.isEmpty || filter.matchesEverything)
                #expect(filter.matches(FilterRow()) != filter.negated.matches(FilterRow()))
            } catch {
                let range = 1...(text.unicodeScalars.count + 1)
                #expect(range.contains(error.column), "\(text): \(error.description)")
            }
        }
    }
}
