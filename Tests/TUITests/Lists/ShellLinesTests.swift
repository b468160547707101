import Foundation
import Testing

@testable import ProxydTUI

/// Commands that are shown to be copied.
struct ShellLinesTests {
    private static let command: ShellLines = [
        "curl -x http://127.0.0.1:8080", "--cacert '/home/ann lee/ca file.pem'",
        "-H \"a: b \\\" c\"", "https://example.com/",
    ]
    private static let words = [
        "curl", "-x", "http://127.0.0.1:8080", "--cacert", "/home/ann lee/ca file.pem", "-H",
        "a: b \" c", "https://example.com/",
    ]

    /// The words that a shell makes of a command.
    private func shellWords(_ command: String) throws -> [String] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "printf '%s\\n' \(command)"]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [1, 10, 25, 30, 45, 60, 80, 200])
    func `a shell parses a wrapped command into the same words at any width`(width: Int) throws {
        let lines = Self.command.lines(width: width)
        #expect(try shellWords(lines.joined(separator: "\n")) == Self.words)
    }

    @Test
    func `a shell command is shown on one line if it fits, otherwise on several lines that fit`() {
        #expect(Self.command.lines(width: 200).count == 1)
        #expect(Self.command.lines(width: 50).count > 1)
        #expect(Self.command.lines(width: 50).allSatisfy { $0.count <= 50 })
    }
}
