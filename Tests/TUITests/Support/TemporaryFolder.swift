import Foundation

/// A folder of its own that goes with the last reference.
final class TemporaryFolder: Sendable {
    let path =
        FileManager.default.temporaryDirectory.path + "/proxyd-tui-test-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The permission bits of a file in it.
    func mode(_ name: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }
}
