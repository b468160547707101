import Foundation
import Testing

/// A shell of this machine that runs scripts.
enum Shell: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case bash
    case dash

    /// Whether this machine has both, and curl.
    static let areThere = allCases.allSatisfy { $0.path != nil } && curlPath != nil
    static let absence: Comment = "bash, dash or curl is not installed"
    static let curlPath = path(of: "curl")

    var path: String? { Shell.path(of: rawValue) }
    var testDescription: String { rawValue }

    private static func path(of program: String) -> String? {
        ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + program }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a script, which may be longer than a word of a command line, and gives what it
    /// printed when the returned process has ended.
    func start(_ script: String) throws -> RunningScript {
        try RunningScript(script, shell: path ?? "")
    }

    /// What a script prints.
    func output(of script: String) throws -> [UInt8] { try start(script).finish() }
}
