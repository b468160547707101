internal import Foundation
internal import Glibc
internal import Synchronization

/// A file that appears under its name when it is complete, and never in place of another one
/// unless that was said. Only its owner reads it: mode 0600.
final class NewFile: Sendable {
    /// Something has the name already.
    struct IsThere: Error {}

    private let path: String
    private let temporary: String
    private let descriptor: Int32
    /// Whether an empty file of ours has the name meanwhile.
    private let isReserved: Bool
    private let byteCount = Mutex<Int64>(0)
    private let isDone = Mutex(false)

    /// Begins a file. Throws `IsThere`, and words for a person.
    init(_ path: String, mayReplace: Bool) throws {
        self.path = path
        isReserved = !mayReplace
        // The name is taken at once, so that nobody else takes it meanwhile.
        if !mayReplace {
            let taken = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard taken >= 0 else {
                if errno == EEXIST { throw IsThere() }
                throw NewFile.failure()
            }
            close(taken)
        }
        var template = Array((path + ".XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        temporary = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard descriptor >= 0 else {
            let failure = NewFile.failure()
            if !mayReplace { unlink(path) }
            throw failure
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close(descriptor)
        guard !isDone.withLock({ $0 }) else { return }
        unlink(temporary)
        if isReserved { unlink(path) }
    }

    /// Octets written so far.
    var writtenByteCount: Int64 { byteCount.withLock { $0 } }

    func write(_ octets: [UInt8]) throws {
        var sent = 0
        while sent < octets.count {
            let count = octets.withUnsafeBytes { bytes in
                Glibc.write(
                    descriptor, bytes.baseAddress.map { $0 + sent }, octets.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw NewFile.failure() }
            sent += count
        }
        byteCount.withLock { $0 += Int64(octets.count) }
    }

    /// Gives the file its name.
    func commit() throws {
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw NewFile.failure()
        }
        isDone.withLock { $0 = true }
    }

    /// A name as a person types it: `~` is the home directory.
    static func expanded(_ typed: String) -> String {
        guard typed == "~" || typed.hasPrefix("~/") else { return typed }
        return NSHomeDirectory() + typed.dropFirst()
    }

    /// Why it did not work. The name is known where this is read, and long.
    private static func failure() -> WorkFailure {
        WorkFailure("it cannot be written: \(String(cString: strerror(errno)))")
    }
}
