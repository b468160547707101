import ProxydFilter
import ProxydOperations
import ProxydParameterCoding
import Testing

/// Filters, their manual, and rules as clients receive them.
struct FilterJSONTests {
    @Test func `the explanation of a filter lists its conditions with their columns and meanings`()
        throws
    {
        let value = FilterJSON.value(try Filter.parse("host:a.test status:404"))
        #expect(value["valid"] == .bool(true))
        #expect(value["filter"] == .string("host:a.test status:404"))
        let conditions = value["conditions"]?.elements ?? []
        #expect(conditions.map { $0["field"] } == [.string("host"), .string("status")])
        #expect(conditions.map { $0["column"] } == [.number("1"), .number("13")])
        #expect(!conditions.contains { $0["meaning"] == .null })
    }

    @Test func `every example in the filter manual is a valid filter`() throws {
        let sections = FilterJSON.manual["sections"]?.elements ?? []
        let entries = sections.flatMap { $0["entries"]?.elements ?? [] }
        let examples = entries.flatMap { $0["examples"]?.elements ?? [] }
        #expect(sections.count > 3 && entries.count > 20 && examples.count > 20)
        for example in examples {
            guard case .string(let filter)? = example["filter"] else {
                Issue.record("no filter: \(example)")
                continue
            }
            #expect(throws: Never.self) { try Filter.parse(filter) }
        }
    }

    @Test func `rules in JSON have their usage counts, or null if the usage is unknown`() throws {
        let used = RuleFacts(
            name: "slow", filter: "host:a.test", group: "g", isTemporary: true,
            usage: .init(hitCount: 3, changedCount: 2, failedCount: 1, lastHitNs: 1_000_000_000))
        let report = RulesReport(
            file: "/r.toml", isDaemonRunning: true,
            rules: [used, RuleFacts(name: "off", filter: "", isEnabled: false)],
            problems: ["/r.toml:3: no"], remarks: ["one rule was removed"])
        #expect(
            try RulesJSON.value(report).json
                == #"{"file":"/r.toml","daemon":true,"problems":["/r.toml:3: no"],"#
                + #""remarks":["one rule was removed"],"rules":[{"name":"slow","#
                + #""when":"host:a.test","enabled":true,"group":"g","temporary":true,"hits":3,"#
                + #""changed":2,"failed":1,"last_hit_at":"1970-01-01T00:00:01.000Z"},"#
                + #"{"name":"off","when":"","enabled":false,"group":null,"temporary":false,"#
                + #""hits":null,"changed":null,"failed":null,"last_hit_at":null}]}"#)
    }
}
