import Foundation
import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

struct ConfigurationLocatorTests {
    @Test(
        arguments: [
            (["HOME": "/h", "XDG_DATA_HOME": "/x", "PROXYD_DATA_DIR": "/e"], "/f", "/c", "/f"),
            (["HOME": "/h", "XDG_DATA_HOME": "/x", "PROXYD_DATA_DIR": "/e"], nil, "/c", "/e"),
            (["HOME": "/h", "XDG_DATA_HOME": "/x", "PROXYD_DATA_DIR": ""], nil, "/c", "/c"),
            (["HOME": "/h", "XDG_DATA_HOME": "/x"], nil, nil, "/x/proxyd"),
            (["HOME": "/h", "XDG_DATA_HOME": "relative"], nil, nil, "/h/.local/share/proxyd"),
            (["HOME": "/h"], nil, nil, "/h/.local/share/proxyd"),
        ] as [([String: String], String?, String?, String)]
    )
    func `the data directory is set by flag, else PROXYD_DATA_DIR, else configuration, else HOME`(
        environment: [String: String],
        flag: String?,
        configured: String?,
        expected: String
    ) throws {
        let locator = ConfigurationLocator(environment: environment)
        #expect(try locator.dataDirectory(flag: flag, configured: configured) == expected)
    }

    @Test func `if HOME is not set and no data directory is given, proxyd reports an error`() {
        #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLocator(environment: [:]).dataDirectory(flag: nil, configured: nil)
        }
    }

    @Test
    func `a relative path in the data directory flag is resolved against the working directory`()
        throws
    {
        let path = try ConfigurationLocator(environment: [:])
            .dataDirectory(flag: "data", configured: nil)
        #expect(path == FileManager.default.currentDirectoryPath + "/data")
    }

    @Test
    func `the configuration file is the flag's, else the user's if it exists, else the system's`()
        throws
    {
        let folder = NSTemporaryDirectory() + "locator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let userFile = folder + "/proxyd/proxyd.toml"
        let systemFile = folder + "/system.toml"
        try FileManager.default.createDirectory(
            atPath: folder + "/proxyd",
            withIntermediateDirectories: true
        )
        let locator = ConfigurationLocator(
            environment: ["XDG_CONFIG_HOME": folder],
            systemFile: systemFile
        )
        #expect(locator.configurationFile(flag: nil) == nil)
        try Data().write(to: URL(fileURLWithPath: systemFile))
        #expect(locator.configurationFile(flag: nil) == systemFile)
        try Data().write(to: URL(fileURLWithPath: userFile))
        #expect(locator.configurationFile(flag: nil) == userFile)
        #expect(locator.configurationFile(flag: "/missing") == "/missing")
    }
}
