internal import ProxydCOpenSSL
internal import Glibc
internal import Synchronization

/// Settings that client and server contexts share.
enum ContextDefaults {
    /// OpenSSL's level 2: no key or signature below 112 bits of strength.
    static let securityLevel: Int32 = 2
    /// The maximum size of the peer's certificate message, in bytes.
    static let certificateListByteCountMax = 100 << 10

    /// Sets versions, ciphers, modes and the alert watch of a new context.
    static func apply(
        to context: OpaquePointer, ciphers: String, highestVersion: TLSVersion = .tls13
    ) throws(TLSError) {
        SSL_CTX_set_security_level(context, securityLevel)
        guard copenssl_ctx_set_min_version(context, TLSVersion.tls12.number) == 1,
            copenssl_ctx_set_max_version(context, highestVersion.number) == 1,
            SSL_CTX_set_cipher_list(context, ciphers) == 1
        else { throw ErrorQueue.configurationError("cannot set TLS versions and ciphers") }
        copenssl_ctx_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS) | Int(SSL_MODE_NO_AUTO_CHAIN))
        _ = copenssl_ctx_set_max_certificate_list(context, certificateListByteCountMax)
        copenssl_ctx_forbid_compression_and_renegotiation(context)
        SSL_CTX_set_info_callback(context, sessionInfo)
        if TLSKeyLog.isOpen { SSL_CTX_set_keylog_callback(context, secretMade) }
    }
}

/// A version of TLS that is still safe to use.
public enum TLSVersion: Sendable, Hashable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}

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
            throw Problem(description: "\(path) is accessible to other users: chmod 600 \(path)")
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

public enum TLSLibrary {
    /// The version that the library loaded at run time reports: `OpenSSL 3.0.15 3 Sep 2024`.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
