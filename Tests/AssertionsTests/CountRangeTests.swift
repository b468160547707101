import ProxydAssertions
import ProxydConfigurationText
import Testing

struct CountRangeTests {
    private static let ranges: [(range: CountRange, phrase: String, toml: String)] = [
        (CountRange(lower: 2, upper: 2), "2", "2"),
        (CountRange(lower: 0, upper: 0), "0", "0"),
        (CountRange(lower: 1, upper: 3), "1 to 3", "\"1..3\""),
        (CountRange(lower: 0, upper: 3), "at most 3", "\"<=3\""),
        (CountRange(lower: 4, upper: nil), "at least 4", "\">=4\""),
        (.some, "at least 1", "\">=1\""),
    ]

    @Test(arguments: ranges)
    func `an expected count is shown as a phrase, and its TOML text reads back the same`(
        range: CountRange, phrase: String, toml: String
    ) throws {
        #expect(range.description == phrase)
        #expect(range.tomlText == toml)
        let text = "[[expect]]\nname = 'a'\nwhen = 'path=/'\ncount = \(range.tomlText)\n"
        let read = try AssertionFile.read(text, file: "a.toml", now: 0)
        #expect(read.expectations.first?.count == range)
    }

    @Test func `an expected count range includes both its ends`() {
        let range = CountRange(lower: 2, upper: 4)
        #expect((0...6).filter(range.contains) == [2, 3, 4])
        #expect(!CountRange.some.contains(0) && CountRange.some.contains(.max))
    }

    @Test(arguments: ["-1", "\"two\"", "1.5", "true", "[1]", "{ min = 1 }"])
    func `an expected count of a wrong type or value is rejected with its line`(count: String) {
        let text = "[[expect]]\nname = 'a'\nwhen = 'path=/'\ncount = \(count)\n"
        #expect {
            try AssertionFile.read(text, file: "a.toml", now: 0)
        } throws: { error in
            let problems = (error as? ConfigurationError)?.problems.map(\.description) ?? []
            return problems.count == 1 && problems[0].hasPrefix("a.toml:4: ")
                && problems[0].contains("expected a number such as 2")
        }
    }
}
