import Capture
@testable import proxyctl
import Testing

/// Captured bytes must never steer a terminal.
@Suite struct HostileTextTests {
    /// What the program itself writes: line ends and its own colours.
    private func isClean(_ bytes: [UInt8]) -> Bool {
        var text = String(decoding: bytes, as: UTF8.self)
        for style in [0, 1, 2, 31, 32, 33, 34, 35, 36] {
            text = text.replacing("\u{1B}[\(style)m", with: "")
        }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar == "\n"
            case .format, .lineSeparator, .paragraphSeparator: false
            default: scalar != "\u{FFFD}"
            }
        }
    }

    @Test(arguments: [
        ["list"], ["list", "--json"], ["show", "5"], ["show", "5", "--json"],
        ["show", "5", "--raw"], ["show", "5", "--body"], ["show", "3", "--raw"], ["show", "3"],
        ["sql", "SELECT * FROM exchanges"], ["sql", "--json", "SELECT * FROM exchanges"],
        ["sql", "SELECT octets FROM head"],
    ])
    func `on a terminal, proxyctl list, show and sql print no control characters from traffic`(
        arguments: [String]
    ) throws {
        let store = try SampleStore()
        for environment in [[:], ["NO_COLOR": "1"]] {
            let run = CommandRun(
                ["--data-dir", store.directory.path] + arguments, columns: 100,
                environment: environment)
            #expect(run.code == 0)
            #expect(!run.bytes.isEmpty)
            #expect(isClean(run.bytes))
        }
    }

    @Test(arguments: [["list"], ["show", "5"], ["sql", "SELECT url, host FROM exchanges"]])
    func `when piped, proxyctl list, show and sql print no control characters except tab and LF`(
        arguments: [String]
    ) throws {
        let store = try SampleStore()
        let run = CommandRun(["--data-dir", store.directory.path] + arguments)
        #expect(run.code == 0)
        #expect(isClean(run.bytes.filter { $0 != 0x09 }))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `error messages of proxyctl contain no escape characters from its arguments`() throws
    {
        let run = CommandRun(["--data-dir", "/nowhere\u{1B}]0;x\u{07}", "list"], columns: 80)
        #expect(run.code == 1)
        #expect(!run.errors.contains("\u{1B}"))
        let usage = CommandRun(["list", "--limit", "\u{1B}[31m"], columns: 80)
        #expect(usage.code == 64)
        #expect(!usage.errors.contains("\u{1B}"))
    }

    @Test
    func `proxyctl list uses color on a terminal unless NO_COLOR is set, and never in a pipe`()
        throws
    {
        let store = try SampleStore()
        #expect(store.run("list", columns: 80).output.contains("\u{1B}["))
        #expect(!store.run("list").output.contains("\u{1B}["))
        let plain = store.run("list", columns: 80, environment: ["NO_COLOR": "1"])
        #expect(!plain.output.contains("\u{1B}["))
    }
}
