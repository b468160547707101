internal import Glibc
internal import Synchronization

/// Writes the secrets of TLS sessions to a file, so that programs that capture packets can decrypt
/// them: the format of SSLKEYLOGFILE (draft-ietf-tls-keylogfile).
public enum TLSKeyLog {
    /// Why the file is not written.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        /// The problem in one line, with the path.
        public let description: String
    }

    /// The open file, or -1 if nothing is written.
    private static let descriptor = Atomic<Int32>(-1)

    /// Whether contexts that are created now write their sessions' secrets.
    static var isOpen: Bool { descriptor.load(ordering: .acquiring) >= 0 }

    /// Appends the secrets of all sessions of contexts that are created afterwards to a file, until
    /// the process ends. A file that does not exist is created with the mode 0600.
    /// - Throws: If the file cannot be opened, or if other users can read it or replace it.
    public static func open(_ path: String) throws(Problem) {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let opened = Glibc.open(path, flags, S_IRUSR | S_IWUSR)
        guard opened >= 0 else {
            throw Problem(description: "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        do throws(Problem) {
            try requirePrivate(opened, path)
        } catch {
            close(opened)
            throw error
        }
        let former = descriptor.exchange(opened, ordering: .acquiringAndReleasing)
        if former >= 0 { close(former) }
    }

    private static func requirePrivate(_ opened: Int32, _ path: String) throws(Problem) {
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(description: "\(path) is not a file")
        }
        guard status.st_uid == geteuid() else {
            throw Problem(description: "\(path) belongs to another user")
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            throw Problem(
                description: "\(path) is accessible to other users: chmod 600 \(path)")
        }
    }

    /// Appends a line. It is written by one call, so that lines of several threads do not mix; one
    /// that cannot be written is lost.
    static func write(_ line: UnsafePointer<CChar>) {
        let opened = descriptor.load(ordering: .acquiring)
        guard opened >= 0 else { return }
        let length = strlen(line)
        var text = [UInt8](repeating: 0x0A, count: length + 1)
        text.withUnsafeMutableBytes {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: line, count: length))
        }
        _ = text.withUnsafeBytes { Glibc.write(opened, $0.baseAddress, $0.count) }
    }
}
