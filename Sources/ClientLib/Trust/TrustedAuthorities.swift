internal import ProxydTLS

/// The authorities that a session trusts to identify servers.
public enum TrustedAuthorities: Sendable, Hashable {
    /// The system's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` if set), plus those in PEM
    /// files.
    case system(adding: [String] = [])
    /// Only the authorities in PEM files.
    case files([String])

    func source(adding path: String?) -> TrustSource {
        let more = path.map { [$0] } ?? []
        return switch self {
        case .system(let files): .system(extraFiles: files + more)
        case .files(let files): .files(files + more)
        }
    }
}
