@testable import ProxydAssertions
import ProxydFilter
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Golden files that people have changed, and reports of any text.
struct GoldenFileTests {
    private func golden(_ more: String = "") throws -> GoldenExpectation {
        let text = "[[golden]]\nname = 'g'\nfile = 'g.jsonl'\nwhen = ''\n" + more
        return try #require(
            try AssertionFile.read(text, file: "a.toml", now: 0).goldens.first)
    }

    private func check(_ exchanges: [Exchange], _ golden: GoldenExpectation) throws -> GoldenCheck {
        let store = try AssertionStore(exchanges)
        return try GoldenCheck(golden, AssertionRun(store.reader, scope: .everything))
    }

    private func mistake(_ text: String) throws -> String? {
        let golden = try golden()
        do throws(GoldenText.Mistake) {
            _ = try GoldenText.entries(in: Array(text.utf8), golden)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(arguments: [
        "{]", "[1]", "hello", "{\"method\":\"GET\"}", #"{"log":{}}"#, #"{"log":{"entries":[{}]}}"#,
        #"{"id":1,"started_at":"1970-01-01T00:00:00Z","method":"GET","url":"ftp://a/","#
            + #""request":{"headers":[["A","b"]]}}"#,
    ])
    func `a file that is not a valid golden file is rejected with a reason`(text: String) throws {
        #expect(try mistake(text)?.isEmpty == false)
    }

    @Test(arguments: ["", " ", "\n\n\t"])
    func `an empty golden file is valid and contains no exchanges`(text: String) throws {
        #expect(try mistake(text) == nil)
        let golden = try golden()
        let told = try check([.sample(1, "/a")], golden).compared(to: Array(text.utf8))
        #expect(told.problems.map(\.message) == ["GET http://api.test/a is not in the file"])
    }

    @Test
    func `golden files may have blank lines, CRLF line ends and JSON members in any order`()
        throws
    {
        let golden = try golden()
        let check = try check(AssertionStore.shop, golden)
        let lines = String(decoding: try #require(check.contents), as: UTF8.self)
            .split(separator: "\n")
        let changed = "\u{FEFF}" + lines.joined(separator: "\r\n\r\n") + "\r\n"
        #expect(try check.compared(to: Array(changed.utf8)).problems.isEmpty)
        let swapped = lines.map { line in
            line.replacing(#"{"method":"GET","#, with: "{")
                .replacing(#","started_at""#, with: #","method":"GET","started_at""#)
        }.joined(separator: "\n")
        #expect(
            try check.compared(to: Array(swapped.utf8)).problems.allSatisfy {
                $0.message.contains("POST")
            })
    }

    @Test func `each golden file entry that no recorded exchange matches is reported as missing`()
        throws
    {
        let golden = try golden()
        let two = try check([.sample(1, "/a"), .sample(2, "/b")], golden)
        let bytes = try #require(two.contents)
        let more = try check([.sample(1, "/a")], golden).compared(to: bytes + bytes)
        #expect(
            more.problems.map(\.message) == [
                "GET http://api.test/b is missing", "GET http://api.test/a is missing",
                "GET http://api.test/b is missing",
            ])
    }

    @Test
    func `the nth golden file entry with a key is compared to the nth exchange with that key`()
        throws
    {
        let golden = try golden("match = 'key'")
        let bytes = try #require(
            try check([.sample(1, "/a", body: "1"), .sample(2, "/a", body: "2")], golden).contents)
        let same = try check([.sample(1, "/a", body: "1"), .sample(2, "/a", body: "2")], golden)
        #expect(try same.compared(to: bytes).problems.isEmpty)
        let other = try check([.sample(1, "/a", body: "1"), .sample(2, "/a", body: "3")], golden)
        #expect(
            try other.compared(to: bytes).problems.map(\.message)
                == ["GET http://api.test/a differs"])
    }

    @Test func `JUnit and TAP reports are well-formed whatever text they contain`() {
        var random = SplitMix(seed: 17)
        let pieces = [
            "<", ">", "&", "\"", "'", "]]>", "\n", "\r", "\t", "\u{0}", "\u{1B}", "\u{7F}",
            "\u{85}",
            "\u{2028}", "\u{FFFE}", "\u{FFFF}", "#", "\\", "é", "😀", "a", "---", "  ...", "- ",
        ]
        func text() -> String { (0..<8).map { _ in pieces.pick(&random) }.joined() }
        for _ in 0..<100 {
            var result = AssertionResult(kind: .expect, name: text(), line: 1)
            var problem = AssertionProblem(text(), part: text())
            problem.details = [text(), text()]
            result.problems = [problem, AssertionProblem(text())]
            let holds = AssertionResult(kind: .golden, name: text(), line: nil)
            let report = AssertionReport(file: text(), results: [result, holds])
            #expect(XMLCheck.isWellFormed(JUnitReport.bytes(report)))
            let tap = TAPReport.bytes(report)
            let lines = tap.split(separator: 0x0A)
            #expect(lines.count { $0.starts(with: "not ok 1 - ".utf8) } == 1)
            #expect(lines.count { $0.starts(with: "ok 2 - ".utf8) } == 1)
            #expect(lines.allSatisfy { !$0.contains { $0 < 0x20 || $0 == 0x7F } })
        }
    }
}
