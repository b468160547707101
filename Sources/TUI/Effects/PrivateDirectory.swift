internal import FoundationEssentials
internal import ProxydSystem

/// Files that only their owner can read, because histories contain filter texts.
enum PrivateDirectory {
    /// Creates a directory with mode 0700 if it does not exist.
    static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw WorkFailure("cannot create \(path): settings are not remembered")
        }
    }

    /// Writes a file with mode 0600, either completely or not at all.
    static func write(_ bytes: [UInt8], to path: String) throws {
        do throws(SystemError) {
            try FileDraft.write(bytes, to: path)
        } catch {
            throw WorkFailure("\(path): \(error)")
        }
    }
}
