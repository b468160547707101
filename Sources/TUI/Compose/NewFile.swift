internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import ProxydSystem

/// A file that gets its name only when it is complete, and never replaces another one unless that
/// was requested. Only its owner can read it: mode 0600.
final class NewFile: Sendable {
    /// A file with the name already exists.
    struct IsThere: Error {}

    private let path: String
    private let draft: FileDraft
    /// Whether an empty file created by this object reserves the name meanwhile.
    private let isReserved: Bool
    private let byteCount = Mutex<Int64>(0)
    private let isDone = Mutex(false)

    /// Starts a file. Throws `IsThere`, or an error message for the user.
    init(_ path: String, mayReplace: Bool) throws {
        self.path = path
        isReserved = !mayReplace
        // The name is reserved immediately, so that no other program takes it meanwhile.
        if !mayReplace {
            let taken = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard taken >= 0 else {
                if errno == EEXIST { throw IsThere() }
                throw NewFile.failure(SystemError())
            }
            close(taken)
        }
        do throws(SystemError) {
            draft = try FileDraft(of: path)
        } catch {
            if !mayReplace { unlink(path) }
            throw NewFile.failure(error)
        }
    }

    deinit {
        if isReserved, !isDone.withLock({ $0 }) { unlink(path) }
    }

    /// The number of bytes written so far.
    var writtenByteCount: Int64 { byteCount.withLock { $0 } }

    func write(_ bytes: [UInt8]) throws {
        try NewFile.told { () throws(SystemError) in try draft.write(bytes) }
        byteCount.withLock { $0 += Int64(bytes.count) }
    }

    /// Gives the file its name.
    func commit() throws {
        try NewFile.told { () throws(SystemError) in try draft.commit() }
        isDone.withLock { $0 = true }
    }

    /// Expands a path as users type it: `~` is the home directory, as in a shell.
    static func expanded(_ typed: String) -> String {
        guard typed == "~" || typed.hasPrefix("~/") else { return typed }
        let home =
            ProcessInfo.processInfo.environment["HOME"]
            ?? FileManager.default.homeDirectoryForCurrentUser.path
        return home + typed.dropFirst()
    }

    private static func told(_ body: () throws(SystemError) -> Void) throws(WorkFailure) {
        do throws(SystemError) {
            try body()
        } catch {
            throw failure(error)
        }
    }

    /// The error message. It omits the path, which is long and known where the message is shown.
    private static func failure(_ error: SystemError) -> WorkFailure {
        WorkFailure("cannot write the file: \(error)")
    }
}
