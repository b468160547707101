import Foundation
import ProxydConfigurationText
import ProxydTestSupport
import Testing

/// Files as a whole, and how their mistakes are told.
struct ConfigurationFileTests {
    private func contents(_ bytes: [UInt8]) throws -> String {
        let folder = try ScratchFolder()
        let path = folder.path + "/f.toml"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try ConfigurationFile.contents(of: path)
    }

    @Test func `a configuration file of 1 MiB is read, and a larger one is rejected`() throws {
        let most = [UInt8](repeating: 0x23, count: ConfigurationFile.byteCountMax)
        #expect(try contents(most).utf8.count == 1 << 20)
        let error = #expect(throws: ConfigurationValueError.self) {
            _ = try contents(most + [0x23])
        }
        #expect(error?.message == "larger than 1048576 bytes")
    }

    @Test(
        arguments: [
            [0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `a configuration file that is not valid UTF-8 is rejected`(_ bytes: [UInt8]) {
        let error = #expect(throws: ConfigurationValueError.self) { _ = try contents(bytes) }
        #expect(error?.message == "not valid UTF-8")
    }

    @Test
    func `an empty configuration file is valid, an unreadable one is reported with the reason`()
        throws
    {
        #expect(try contents([]) == "")
        let folder = try ScratchFolder()
        for (path, reason) in [
            (folder.path, "Is a directory"), (folder.path + "/none", "No such file or directory"),
        ] {
            let error = #expect(throws: ConfigurationValueError.self) {
                _ = try ConfigurationFile.contents(of: path)
            }
            #expect(error?.message == "cannot be read: \(reason)")
        }
        let error = ConfigurationError(ConfigurationValueError("cannot be read"), of: "/etc/x")
        #expect(error.description == "/etc/x: cannot be read")
    }

    @Test func `the error for a configuration file that contains a NUL has the line of the NUL`() {
        let error = #expect(throws: ConfigurationError.self) {
            try TableReader.read("a = 1\n# \0\n", file: "f") { _ in }
        }
        #expect(error?.description == "f:2: the file contains a NUL character")
    }

    @Test
    func `a configuration error is printed as one line without control characters`() {
        let error = #expect(throws: ConfigurationError.self) {
            try TableReader.read("\"a\\n\\u001b[31m\" = 1\nb = \u{1B}\n", file: "f") { _ in }
        }
        let unknown = #expect(throws: ConfigurationError.self) {
            try TableReader.read("\"a\\n\\u001b[31m\" = 1\n", file: "f") { _ in }
        }
        for text in [error?.description ?? "", unknown?.description ?? ""] {
            #expect(!text.isEmpty)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        }
    }

    private enum Speed: String, ConfigurationChoice {
        case slow, fast
    }

    @Test(arguments: [
        ("a = 'quick'", "f:1: a: expected one of \"slow\", \"fast\", found \"quick\""),
        ("a = 1", "f:1: a: expected one of \"slow\", \"fast\", found an integer"),
        ("a = [\n'slow',\n'']", "f:3: a: expected one of \"slow\", \"fast\", found \"\""),
    ])
    func `the error for an invalid keyword as a configuration value lists the allowed keywords`(
        _ text: String, _ message: String
    ) {
        let error = #expect(throws: ConfigurationError.self) {
            try TableReader.read(text, file: "f") { top in
                if top.table["a"]?.node.elements == nil {
                    _ = top.value("a", as: Speed.self)
                } else {
                    _ = top.value("a", as: [Speed].self)
                }
            }
        }
        #expect(error?.description == message)
    }

    @Test
    func `an empty string as the value of an optional TOML key means that the key is not set`()
        throws
    {
        let found = try TableReader.read("a = ''\nb = ' '", file: "f") { top in
            [top.value("a", as: String?.self), top.value("b", as: String?.self)]
        }
        #expect(found == [.some(nil), .some(" ")])
        #expect((nil as String?).tomlText == "\"\"")
    }

    @Test(
        arguments: [
            0, -1.5, 1e300, 5e-324, .infinity, -.infinity, 123_456_789_012, 0.1 + 0.2,
        ] as [Double])
    func `a floating-point number that is written as TOML and read again is unchanged`(
        _ number: Double
    ) throws {
        let document = try TOMLDocument("a = \(number.tomlText)")
        #expect(try Double(toml: document.node("a")) == number)
    }
}
