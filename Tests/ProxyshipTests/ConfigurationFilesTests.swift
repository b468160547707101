import Capture
import Foundation
import ProxydCentralStore
import ProxydConfigurationText
import ProxydPostgresLink
import ProxydTestSupport
import Testing
@testable import proxyship

/// Which configuration and which data directory count.
@Suite struct ConfigurationFilesTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @discardableResult
    private func write(_ name: String, store: String) throws -> String {
        try scratch.write(name, "[shipping]\nstore = \"\(store)\"\n")
    }

    private func problems(_ files: ConfigurationFiles, _ flag: String?) -> [String] {
        do throws(ConfigurationError) {
            _ = try files.read(flag)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    // MARK: The configuration

    @Test
    func `a proxyship configuration given by --config takes precedence over the standard file`()
        throws
    {
        let named = try write("named.toml", store: "named")
        try write("config/proxyd/proxyship.toml", store: "standard")
        let files = ConfigurationFiles(
            environment: ["XDG_CONFIG_HOME": scratch.path + "/config", "HOME": "/nowhere"])
        #expect(try files.read(named).store == "named")
        #expect(try files.read(nil).store == "standard")
    }

    @Test(arguments: [nil, "", "relative/config"] as [String?])
    func `proxyship reads its configuration from HOME if XDG_CONFIG_HOME is not an absolute path`(
        base: String?
    ) throws {
        try write(".config/proxyd/proxyship.toml", store: "home")
        var environment = ["HOME": scratch.path]
        environment["XDG_CONFIG_HOME"] = base
        #expect(try ConfigurationFiles(environment: environment).read(nil).store == "home")
    }

    @Test(
        .enabled(
            if: access("/etc/proxyd/proxyship.toml", F_OK) != 0, "this machine has one of its own"))
    func `without any configuration file, proxyship asks for --config`() {
        for environment in [[:], ["HOME": scratch.path]] as [[String: String]] {
            let files = ConfigurationFiles(environment: environment)
            #expect(
                problems(files, nil) == [
                    "/etc/proxyd/proxyship.toml: there is no configuration; name one with --config"
                ])
        }
    }

    @Test func `a proxyship configuration that is missing, not UTF-8 or incomplete is reported`()
        throws
    {
        let files = ConfigurationFiles(environment: [:])
        let missing = scratch.path + "/missing.toml"
        #expect(
            problems(files, missing) == ["\(missing): cannot be read: No such file or directory"])
        let latin = try scratch.write("latin.toml", Array("# caf".utf8) + [0xE9])
        #expect(problems(files, latin) == ["\(latin): not valid UTF-8"])
        let wrong = try scratch.write("wrong.toml", "[shipping]\n")
        #expect(problems(files, wrong) == ["\(wrong):1: shipping.store is missing"])
    }

    // MARK: The data directory

    @Test func `data_dir in proxyship's configuration takes precedence over the environment`() {
        let files = ConfigurationFiles(
            environment: ["PROXYD_DATA_DIR": "/env", "XDG_DATA_HOME": "/xdg", "HOME": "/home/u"])
        let named = ShippingConfiguration(dataDirectory: "/srv/data")
        #expect(files.dataDirectory(named) == DataDirectory(path: "/srv/data"))
        #expect(files.dataDirectory(ShippingConfiguration()) == DataDirectory(path: "/env"))
        let home = ConfigurationFiles(environment: ["HOME": "/home/u"])
        #expect(
            home.dataDirectory(ShippingConfiguration())
                == DataDirectory(path: "/home/u/.local/share/proxyd"))
        let nowhere = ConfigurationFiles(environment: [:])
        #expect(nowhere.dataDirectory(ShippingConfiguration()) == nil)
    }

    // MARK: The central store

    private func location(_ store: String?, _ file: String?) throws(CentralError) -> String {
        try ConfigurationFiles(environment: [:]).location(store, file).uri
    }

    @Test func `a central store given on the command line takes precedence over the configuration`()
        throws
    {
        let file = try write("ship.toml", store: "postgresql://configured/d")
        #expect(try location("postgresql://named/d", file) == "postgresql://named/d")
        #expect(try location(nil, file) == "postgresql://configured/d")
        // The configuration is not even read.
        let named = try location("postgresql://named/d", scratch.path + "/missing")
        #expect(named == "postgresql://named/d")
    }

    @Test func `without a configured central store, proxyship asks for --store`() throws {
        let expected = CentralError.location("name the database by --store or shipping.store")
        let empty = try scratch.write("empty.toml", "")
        for file in [empty, nil] {
            #expect(throws: expected) { try location(nil, file) }
        }
    }

    @Test
    func `looking up the central store's address reports mistakes in proxyship's configuration`()
        throws
    {
        let missing = scratch.path + "/missing.toml"
        var error = #expect(throws: CentralError.self) { try location(nil, missing) }
        #expect(error?.message.contains(missing) == true)
        let broken = try scratch.write("broken.toml", "[shipping]\nstore = 5\nname = 'a b'\n")
        error = #expect(throws: CentralError.self) { try location(nil, broken) }
        #expect(error?.message.hasPrefix("\(broken):2: ") == true)
        #expect(error?.message.contains("; \(broken):3: shipping.name: expected letters") == true)
    }

    @Test func `a central store URI with a password is rejected without repeating the password`()
        throws
    {
        let file = try write("ship.toml", store: "postgresql://u:hunter2@h/d")
        let error = #expect(throws: CentralError.self) { try location(nil, file) }
        #expect(error?.message.hasPrefix("the URI contains a password") == true)
        #expect(error?.message.contains("hunter2") == false)
    }
}
