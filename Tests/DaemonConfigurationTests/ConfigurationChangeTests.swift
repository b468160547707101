import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

struct ConfigurationChangeTests {
    @Test func `a reload finds no changes between two equal configurations`() {
        #expect(ConfigurationChange.between(Configuration(), Configuration()).isEmpty)
    }

    @Test
    func `a changed configuration key is reported with both values and whether it needs a restart`()
        throws
    {
        let new = try ConfigurationReader.read(
            """
            [listen]
            addresses = ["127.0.0.1:1"]
            [timeouts]
            connect_s = 3
            """,
            file: "f"
        )
        #expect(
            ConfigurationChange.between(Configuration(), new) == [
                ConfigurationChange(
                    path: "listen.addresses",
                    old: "[\"127.0.0.1:8080\"]",
                    new: "[\"127.0.0.1:1\"]",
                    effect: .onRestart
                ),
                ConfigurationChange(
                    path: "timeouts.connect_s",
                    old: "10",
                    new: "3",
                    effect: .onReload
                ),
            ]
        )
    }

    @Test
    func `the default of every configuration key is unchanged when written as TOML and read back`()
        throws
    {
        for key in ConfigurationKey.all {
            var configuration = Configuration()
            let document = try TOMLDocument("x = " + key.tomlText(configuration))
            let value = try #require(document.root["x"], "\(key.path) does not parse")
            try key.read(value.node, &configuration)
            #expect(configuration == Configuration(), "\(key.path)")
        }
    }

    @Test(arguments: ["", "plain", "a\"b\\c", "tab\tnewline\n\u{7F}", "é"])
    func `a string that is written as TOML and read again is unchanged`(text: String) throws {
        let read = try TOMLDocument("x = " + text.tomlText).root["x"]?.node.text?.text
        #expect(read == text)
    }
}
