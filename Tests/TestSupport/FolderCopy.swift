internal import Foundation

/// A copy of a folder, for a test that damages it.
public enum FolderCopy {
    /// Makes it in the place of what is there.
    public static func make(of path: String, at copy: String) throws {
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }
}
