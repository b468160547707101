import ProxydAssertions
import ProxydConfigurationText
import ProxydFilter
import Testing

struct AssertionFileTests {
    private func mistakes(_ text: String) -> [String] {
        do {
            _ = try AssertionFile.read(text, file: "a.toml", now: 0)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `an assertion file with a scope, expectations and golden files is read`() throws {
        let assertions = try AssertionFile.read(
            """
            scope = 'tag=run-17'
            [[expect]]
            name = "API"
            when = 'host=api.test'
            every = 'status<500 resheader.Content-Type:json duration<2s'
            p95_ms = 300
            count = "1..3"
            json = { "user.id" = 7, "user.mail" = { matches = '@' } }
            [[expect]]
            name = "token before data"
            sequence = ['path=/token', 'path:/data']
            [[golden]]
            name = "checkout flow"
            file = "golden/checkout.jsonl"
            when = 'path:/checkout'
            match = "key"
            request = true
            mask = ["resheader.Date", "json:token", "json:items[*].id", "query:ts", 'body~[0-9]{9}']
            """, file: "a.toml", now: 0)
        #expect(assertions.scope.text == "tag=run-17")
        let first = try #require(assertions.expectations.first)
        #expect(
            first.every.map(\.text)
                == ["status<500", "resheader.Content-Type:json", "duration<2s"])
        #expect(first.p95Milliseconds == 300 && first.json.count == 2 && first.line == 2)
        #expect(first.count == CountRange(lower: 1, upper: 3))
        #expect(assertions.expectations[1].sequence.map(\.text) == ["path=/token", "path:/data"])
        let golden = try #require(assertions.goldens.first)
        #expect(golden.match == .key && golden.comparesRequests)
        #expect(golden.file == "golden/checkout.jsonl")
    }

    @Test func `all mistakes in an assertion file are reported, each with its line`() {
        let text = """
            scope = 'hots=1'
            [[expect]]
            name = "a"
            when = 'status>'
            cuont = 1
            [[expect]]
            name = "a"
            every = 'path=/'
            count = "many"
            p95_ms = -1
            json = { "a[" = 1, "b" = { size = 1 }, "c" = { matches = '(' } }
            [[expect]]
            name = "c"
            sequence = []
            [[golden]]
            name = "g"
            when = 'path:x'
            match = "value"
            mask = ["reqheader.X", "json:a[", 'body~(']
            """
        let lines = mistakes(text)
        #expect(
            lines.map { $0.split(separator: ":")[1] }
                == [
                    "1", "4", "5", "6", "7", "9", "10", "11", "11", "11", "14", "15", "18", "19",
                    "19", "19",
                ].map { $0[...] }, "\(lines.joined(separator: "\n"))")
        #expect(lines[0] == "a.toml:1: column 1: unknown field \"hots\": did you mean host?")
        #expect(lines.contains("a.toml:5: unknown key cuont; did you mean count?"))
        #expect(lines.contains("a.toml:15: file is missing"))
    }

    @Test func `an assertion file that checks nothing is rejected`() {
        #expect(
            mistakes("scope = 'host=x'\n") == [
                "a.toml:1: there is no [[expect]] and no [[golden]]: nothing would be checked"
            ])
    }

    @Test func `an assertion file is rejected if "every" is empty or a golden file is named twice`()
    {
        let text = """
            [[expect]]
            name = "a"
            when = 'path=/'
            every = ''
            [[golden]]
            name = "g"
            file = "g.jsonl"
            [[golden]]
            name = "h"
            file = "g.jsonl"
            """
        #expect(
            mistakes(text) == [
                "a.toml:4: every is empty: nothing would be checked",
                "a.toml:10: another [[golden]] has this file",
            ])
    }

    @Test(arguments: [
        ("2", 2, 2 as Int?), ("1..3", 1, 3), (">=2", 2, nil), ("<=2", 0, 2), (">= 2", 2, nil),
    ])
    func `the expected count may be a number, a range, a minimum or a maximum`(
        text: String, lower: Int, upper: Int?
    ) {
        #expect(CountRange(text) == CountRange(lower: lower, upper: upper))
    }

    @Test(arguments: [
        "", "x", "-1", "3..1", "1...3", "..", ">=", "<2", "1..", "99999999999999999999", "+1",
    ])
    func `a string that is neither a number nor a valid range is rejected as an expected count`(
        text: String
    ) {
        #expect(CountRange(text) == nil)
    }
}
