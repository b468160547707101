internal import ProxydCOpenSSL
internal import Glibc

/// The source of trusted root certificates.
public enum TrustSource: Sendable, Hashable {
    /// The system's store (`SSL_CERT_FILE` and `SSL_CERT_DIR` if set, otherwise the distribution's
    /// paths) and the PEM files added by configuration.
    case system(extraFiles: [String])
    /// These PEM files only.
    case files([String])

    /// Fills `store`.
    func load(into store: OpaquePointer?) throws(TLSError) {
        switch self {
        case .system(let extraFiles):
            try Self.checkEnvironment()
            guard X509_STORE_set_default_paths(store) == 1 else {
                throw ErrorQueue.configurationError("cannot open the system's trust store")
            }
            try Self.load(extraFiles, into: store)
        case .files(let files):
            try Self.load(files, into: store)
        }
    }

    /// OpenSSL ignores a file that it cannot read, and every server would then be rejected with a
    /// misleading reason.
    private static func checkEnvironment() throws(TLSError) {
        guard let name = getenv("SSL_CERT_FILE"), name.pointee != 0, access(name, R_OK) != 0
        else { return }
        throw TLSError(
            kind: .configuration,
            message: "SSL_CERT_FILE names \(String(cString: name)), which cannot be read")
    }

    private static func load(_ files: [String], into store: OpaquePointer?) throws(TLSError) {
        for file in files {
            ErrorQueue.clear()
            guard X509_STORE_load_file(store, file) == 1 else {
                throw ErrorQueue.configurationError("cannot read certificates from \(file)")
            }
        }
    }
}
