internal import Synchronization
internal import ProxydTLS

/// The authorities that a session trusts. They are loaded when first needed, which takes
/// milliseconds that sessions without TLS connections save.
final class AuthorityStore: Sendable {
    let source: TrustSource
    private let loaded = Mutex<Result<TrustStore, ServerTrustError>?>(nil)

    init(_ source: TrustSource) { self.source = source }

    /// The loaded authorities; loads them on the first call.
    func store() throws(ServerTrustError) -> TrustStore {
        try loaded.withLock { loaded -> Result<TrustStore, ServerTrustError> in
            if let loaded { return loaded }
            let result = Result { () throws(TLSError) in try TrustStore(source) }
                .mapError { ServerTrustError.authoritiesUnavailable(message: $0.message) }
            loaded = result
            return result
        }.get()
    }
}
