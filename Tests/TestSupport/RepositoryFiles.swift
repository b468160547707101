public import Foundation

/// Files of the repository that tests compare the program with.
public enum RepositoryFiles {
    /// The folder with Package.swift.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file, by its path from there.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}

/// What a test's output should be, in a file beside the test.
public enum GoldenFile {
    /// The text of a file. Where `UPDATE_GOLDEN` is in the environment, `found` is written there
    /// first.
    public static func wanted(at url: URL, found: String) throws -> String {
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(found.utf8).write(to: url)
        }
        return try String(contentsOf: url, encoding: .utf8)
    }
}
