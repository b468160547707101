internal import Synchronization
internal import ProxydTLS

/// The authorities that a session trusts, read when they are first asked for: that costs
/// milliseconds which sessions without a secure connection need not spend.
final class AuthorityStore: Sendable {
    let source: TrustSource
    private let loaded = Mutex<Result<TrustStore, ServerTrustError>?>(nil)

    init(_ source: TrustSource) { self.source = source }

    /// The store.
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
