internal import Foundation
internal import Glibc
internal import Synchronization
internal import ProxydSystem

/// A file that appears under its name when it is complete, and never in place of another one
/// unless that was said. Only its owner reads it: mode 0600.
final class NewFile: Sendable {
    /// Something has the name already.
    struct IsThere: Error {}

    private let path: String
    private let draft: FileDraft
    /// Whether an empty file of ours has the name meanwhile.
    private let isReserved: Bool
    private let byteCount = Mutex<Int64>(0)
    private let isDone = Mutex(false)

    /// Begins a file. Throws `IsThere`, and words for a person.
    init(_ path: String, mayReplace: Bool) throws {
        self.path = path
        isReserved = !mayReplace
        // The name is taken at once, so that no one else takes it meanwhile.
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

    /// Octets written so far.
    var writtenByteCount: Int64 { byteCount.withLock { $0 } }

    func write(_ octets: [UInt8]) throws {
        try NewFile.told { () throws(SystemError) in try draft.write(octets) }
        byteCount.withLock { $0 += Int64(octets.count) }
    }

    /// Gives the file its name.
    func commit() throws {
        try NewFile.told { () throws(SystemError) in try draft.commit() }
        isDone.withLock { $0 = true }
    }

    /// A name as a person types it: `~` is the home directory.
    static func expanded(_ typed: String) -> String {
        guard typed == "~" || typed.hasPrefix("~/") else { return typed }
        return NSHomeDirectory() + typed.dropFirst()
    }

    private static func told(_ body: () throws(SystemError) -> Void) throws(WorkFailure) {
        do throws(SystemError) {
            try body()
        } catch {
            throw failure(error)
        }
    }

    /// Why it did not work. The name is known where this is read, and long.
    private static func failure(_ error: SystemError) -> WorkFailure {
        WorkFailure("it cannot be written: \(error)")
    }
}
