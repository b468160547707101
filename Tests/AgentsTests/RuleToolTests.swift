import ProxydAgents
import ProxydExchangeContent
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Rules that agents read and try.
struct RuleToolTests {
    private static let rules = """
        [[rule]]
        name = "teapot"
        when = "path=/tea"
        request = [{ respond = 418 }]
        """

    private static func rig() throws -> AgentRig {
        try AgentRig(actions: .ruled(rules)) {
            try $0.store([.sample(1, "/tea"), .sample(2, "/coffee"), .sample(3, "/tea")])
        }
    }

    @Test func `the MCP tool list_rules returns the name and filter of each rule`() throws {
        let answer = try RuleToolTests.rig().call("list_rules")
        #expect(answer["rules"]?.elements.first?["name"]?.text == "teapot")
        #expect(answer["rules"]?.elements.first?["when"]?.text == "path=/tea")
    }

    @Test func `the MCP server offers no rule tools if it has no access to rules`() throws {
        let names = try AgentRig().tools()
        #expect(names.contains("list_exchanges"))
        #expect(!names.contains("list_rules"))
        #expect(!names.contains("test_rule"))
    }

    @Test func `the MCP tool test_rule matches the current rules against the newest exchanges`()
        throws
    {
        let rig = try RuleToolTests.rig()
        let all = try rig.call("test_rule")
        #expect(all["tested"]?.integer == 3)
        #expect(all["rules"]?.elements.first?["matches"]?.integer == 2)
        let newest = try rig.call("test_rule", #"{"limit":1}"#)
        #expect(newest["rules"]?.elements.first?["matches"]?.integer == 1)
        let filtered = try rig.call("test_rule", #"{"filter":"path=/coffee"}"#)
        #expect(filtered["rules"]?.elements.first?["matches"]?.integer == 0)
    }

    @Test
    func `the MCP tool test_rule tests rules passed as TOML and reports the line of an error`()
        throws
    {
        let rig = try RuleToolTests.rig()
        let other =
            #"[[rule]]\nname = \"x\"\nwhen = \"path=/coffee\"\n"#
            + "request = [{ respond = 403 }]"
        let answer = try rig.call("test_rule", #"{"rules":"\#(other)"}"#)
        #expect(answer["rules"]?.elements.first?["rule"]?.text == "x")
        #expect(answer["rules"]?.elements.first?["matches"]?.integer == 1)
        let problem = try rig.problem("test_rule", #"{"rules":"[[rule]]\nname = 7\nstop = true"}"#)
        #expect(problem.hasPrefix("rules:2:"))
        #expect(
            try rig.problem("test_rule", #"{"rule":"none"}"#)
                == "there is no rule none; there are: teapot")
    }

    @Test func `MCP test_rule explains the conditions of a filter without showing captured values`()
        throws
    {
        let answer = try RuleToolTests.rig().call("test_rule", #"{"explain":2}"#)
        let test = try #require(
            answer["rules"]?.elements.first?["tests"]?.elements.first)
        #expect(test["field"]?.text == "path")
        #expect(test["holds"]?.bool == false)
        #expect(test["value"] == nil)
    }
}
