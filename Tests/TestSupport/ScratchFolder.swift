public import Foundation

/// A folder of its own for a test, removed with the last reference.
public final class ScratchFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes one.
    public init(mode: Int = 0o700) throws {
        path = FileManager.default.temporaryDirectory.path + "/proxyd-test-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: mode])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Where it is, as a URL.
    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// The names in it, sorted.
    public var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    /// Writes a file in it, with the folders that its name has; its path.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a file of text in it; its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    /// Writes a file in it; where it is.
    public func file(_ name: String, _ bytes: [UInt8] = []) throws -> URL {
        URL(fileURLWithPath: try write(name, bytes))
    }

    /// What a file in it holds.
    public func content(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    /// The permission bits of a file in it, or of the folder; nil where there is no such file.
    public func mode(of name: String = "") -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Sets the permission bits of a file in it.
    public func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }

    /// Removes a file in it.
    public func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
}

/// A copy of a folder, for a test that damages it.
public enum FolderCopy {
    /// Makes it in the place of what is there.
    public static func make(of path: String, at copy: String) throws {
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }
}
