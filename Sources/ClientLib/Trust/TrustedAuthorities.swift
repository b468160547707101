internal import ProxydTLS

/// Whose word a session takes for who a server is.
public enum TrustedAuthorities: Sendable, Hashable {
    /// The system's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` where set), and those in PEM
    /// files.
    case system(adding: [String] = [])
    /// Those in PEM files only.
    case files([String])

    func source(adding path: String?) -> TrustSource {
        let more = path.map { [$0] } ?? []
        return switch self {
        case .system(let files): .system(extraFiles: files + more)
        case .files(let files): .files(files + more)
        }
    }
}
