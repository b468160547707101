import Foundation
import FoundationXML
import ProxydAssertions
import ProxydExchangeContent
import ProxydTestSupport
import Testing

struct ReportTests {
    private func report() throws -> AssertionReport {
        let store = try AssertionStore(AssertionStore.shop)
        let text = """
            [[expect]]
            name = "fine"
            when = 'path=/'
            [[expect]]
            name = 'a <b> & "c" # \\d ]]>'
            when = 'path:o or path:r'
            every = 'status<300 method=GET'
            """
        let results = Array(try store.results(text).dropFirst())
        return AssertionReport(file: "checks/shop.toml", results: results)
    }

    @Test
    func `the JUnit report has a test suite for the file and a test case for each expectation`()
        throws
    {
        let bytes = JUnitReport.bytes(try report())
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        #expect(text.contains("<testsuite name=\"checks/shop.toml\" tests=\"2\" failures=\"1\""))
        #expect(
            text.contains(
                "<testcase name=\"fine\" classname=\"checks/shop.toml\" time=\"0.010\" "
                    + "file=\"checks/shop.toml\" line=\"1\"/>"))
        #expect(text.contains("name=\"a &lt;b&gt; &amp; &quot;c&quot; # \\d ]]&gt;\""))
        #expect(text.contains("message=\"does not match status&lt;300\""))
        #expect(text.contains(">does not match status&lt;300\nexchanges: 4\n"))
        #expect(XMLCheck.isWellFormed(bytes))
    }

    @Test func `the TAP 14 report has a YAML block below a failed expectation`() throws {
        let lines = String(decoding: TAPReport.bytes(try report()), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["TAP version 14", "1..2", "ok 1 - fine"])
        #expect(lines[3] == ##"not ok 2 - a <b> & "c" \# \\d ]]>"##)
        #expect(lines[4] == "  ---" && lines.last == "  ...")
    }

    @Test func `the JSON report names the failed conditions and their exchanges`() throws {
        var bytes: [UInt8] = []
        JSONText.write(AssertionJSON.value(try report()), into: &bytes)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["holds"] as? Bool == false && object["failures"] as? Int == 1)
        let results = try #require(object["results"] as? [[String: Any]])
        #expect(results.map { $0["name"] as? String }.first == "fine")
        let problems = try #require(results[1]["problems"] as? [[String: Any]])
        #expect(problems.map { $0["part"] as? String } == ["status<300", "method=GET"])
        #expect(problems.map { $0["exchanges"] as? [String] } == [["4"], ["2"]])
    }

    @Test func `markup and control characters in names cannot break the JUnit and TAP reports`()
        throws
    {
        let name = "\u{1B}[31m\u{0}\u{202E}\n</failure>\u{FFFF}"
        var result = AssertionResult(kind: .expect, name: name, line: 1)
        result.problems = [AssertionProblem(name)]
        let report = AssertionReport(file: name, results: [result])
        #expect(XMLCheck.isWellFormed(JUnitReport.bytes(report)))
        let tap = TAPReport.bytes(report)
        #expect(!tap.contains(0x1B) && !tap.contains(0))
        #expect(tap.split(separator: 0x0A).count { $0.starts(with: "not ok".utf8) } == 1)
    }
}

/// Whether a parser accepts a document.
enum XMLCheck {
    static func isWellFormed(_ bytes: [UInt8]) -> Bool { XMLParser(data: Data(bytes)).parse() }
}
