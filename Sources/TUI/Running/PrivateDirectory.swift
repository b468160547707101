internal import Foundation
internal import ProxydSystem

/// Files that only their owner reads: histories hold what was looked for.
enum PrivateDirectory {
    /// Makes a directory of mode 0700 where there is none.
    static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw WorkFailure("\(path) cannot be made: nothing is remembered")
        }
    }

    /// Writes a file of mode 0600, whole or not at all.
    static func write(_ octets: [UInt8], to path: String) throws {
        do throws(SystemError) {
            try FileDraft.write(octets, to: path)
        } catch {
            throw WorkFailure("\(path): \(error)")
        }
    }
}
