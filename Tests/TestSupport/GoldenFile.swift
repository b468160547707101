public import Foundation

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
