import Foundation

/// A directory for one test, removed when the test lets go of it.
final class ScratchDirectory {
    let path: String

    init(mode: Int = 0o700) throws {
        path = NSTemporaryDirectory() + "control-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: mode])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var socketPath: String { path + "/control.sock" }
}
