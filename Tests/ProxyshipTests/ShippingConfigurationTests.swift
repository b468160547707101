import ProxydConfigurationText
import ProxydFilter
import Testing
@testable import proxyship

/// What `proxyship.toml` says.
@Suite struct ShippingConfigurationTests {
    private func read(_ text: String) throws -> ShippingConfiguration {
        try ShippingConfiguration.read(text, file: "f")
    }

    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try ShippingConfiguration.read(text, file: "f")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `every key of the proxyship configuration file is read`() throws {
        let found = try read(
            """
            data_dir = "/srv/data"
            [shipping]
            store = "postgresql://ci01@db.example/proxyd"
            name = "ci-01.web_2"
            redact = false
            filter = "status>=400"
            retention_age_days = 30
            """)
        #expect(found.dataDirectory == "/srv/data")
        #expect(found.store == "postgresql://ci01@db.example/proxyd")
        #expect(found.name == "ci-01.web_2")
        #expect(!found.redacts)
        #expect(found.filter?.text == "status>=400")
        #expect(found.retentionAgeDays == 30)
    }

    @Test(arguments: [
        "[shipping]\nstore = 's'", "data_dir = ''\n[shipping]\nstore = 's'\nfilter = ''",
    ])
    func `by default, proxyship delivers the standard store, redacted, with no retention limit`(
        text: String
    ) throws {
        let found = try read(text)
        #expect(found.dataDirectory == nil)
        #expect(found.store == "s")
        #expect(found.name == nil)
        #expect(found.redacts)
        #expect(found.filter?.text == nil)
        #expect(found.retentionAgeDays == nil)
    }

    @Test(arguments: [
        ("[shipping]\nname = 'a'", "f:1: shipping.store is missing"),
        ("[shipping]\nstore = 1", "f:2: shipping.store: expected a string, found an integer"),
        (
            "[shipping]\nstore = 's'\nredact = 'no'",
            "f:3: shipping.redact: expected true or false, found a string"
        ),
        (
            "[shipping]\nstore = 's'\nretention_age_days = '7'",
            "f:3: shipping.retention_age_days: expected an integer, found a string"
        ),
        (
            "[shipping]\nstore = 's'\nnames = 'n'",
            "f:3: unknown key shipping.names; did you mean shipping.name?"
        ),
        ("shipping = 's'", "f:1: shipping is a table: write [shipping]"),
        ("data_dir = 7", "f:1: data_dir: expected a string, found an integer"),
        ("[shiping]\nstore = 's'", "f:1: unknown table shiping; did you mean shipping?"),
    ])
    func `a mistake in the proxyship configuration is reported with its line`(
        text: String, message: String
    ) {
        #expect(problems(text) == [message])
    }

    @Test func `all mistakes in the proxyship configuration are reported in the order of the file`()
        throws
    {
        let found = problems(
            """
            data_dir = true
            [shipping]
            retention_age_days = 0
            filter = 'status>='
            name = 'a b'
            colour = 1
            """)
        #expect(found.map { $0.prefix(4) } == ["f:1:", "f:2:", "f:3:", "f:4:", "f:5:", "f:6:"])
        let filter = try #require(found.dropFirst(3).first)
        #expect(filter.hasPrefix("f:4: shipping.filter, column "))
    }

    @Test(arguments: [
        "a", "Z9", "0", "-._", "ci01.example.test", String(repeating: "n", count: 63),
    ])
    func `a store name of up to 63 letters, digits, dots, hyphens and underscores is accepted`(
        name: String
    ) throws {
        #expect(try read("[shipping]\nstore = 's'\nname = '\(name)'").name == name)
    }

    @Test(arguments: [
        "", "a b", "a:b", "caf\u{E9}", "a/b", "a\tb", "\u{FF41}",
        String(repeating: "n", count: 64),
    ])
    func `a store name that is empty, over 63 characters or has other characters is rejected`(
        name: String
    ) {
        #expect(
            problems("[shipping]\nstore = 's'\nname = '\(name)'") == [
                "f:3: shipping.name: expected letters, digits, dots, hyphens and underscores"
            ])
    }

    @Test(arguments: [(0, false), (1, true), (36_500, true), (36_501, false), (-1, false)])
    func `retention_age_days must be between 1 and 36500`(days: Int, isTaken: Bool) {
        let found = problems("[shipping]\nstore = 's'\nretention_age_days = \(days)")
        let refused = ["f:3: shipping.retention_age_days: expected 1 to 36500"]
        #expect(found == (isTaken ? [] : refused))
    }
}
