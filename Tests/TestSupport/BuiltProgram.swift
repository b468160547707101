internal import Foundation

/// The programs that are built together with the tests.
public enum BuiltProgram {
    /// There is no such program.
    public struct Missing: Error, CustomStringConvertible {
        /// What was looked for.
        public let description: String
    }

    private static let directory =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    /// The path of a program; `PROXYD_PROGRAMS` names another folder than the tests' own.
    public static func path(_ name: String) throws -> String {
        let folder = ProcessInfo.processInfo.environment["PROXYD_PROGRAMS"]
        let path = "\(folder ?? directory)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(description: "\(path) was not built")
        }
        return path
    }
}
