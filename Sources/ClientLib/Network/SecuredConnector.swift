internal import ProxydEventLoops
internal import ProxydTLS
internal import ProxydTransport

/// Creates secure connections to hosts that share an evaluator and a client certificate. Confined
/// to its loop.
struct SecuredConnector {
    /// The table entries that the hosts match; nil if there is none.
    struct Key: Hashable {
        let evaluator: String?
        let identity: String?
    }

    let connector: Connector
    /// Lets the evaluator check servers, or nil if only the authorities are used.
    let verifier: ServerTrustVerifier?

    init(
        loop: EventLoop, resolver: Resolver, authorities: AuthorityStore,
        evaluator: (any ServerTrustEvaluating)?, identity: ClientCertificate?,
        addressRules: AddressRules
    ) throws(ServerTrustError) {
        verifier = evaluator.map { ServerTrustVerifier($0, authorities: authorities) }
        // An evaluator may need no authorities: it loads them itself when necessary.
        let store = verifier == nil ? try authorities.store() : nil
        do throws(TLSError) {
            connector = SecuredConnector.make(
                loop, resolver,
                try TLSClientContext(
                    store: store, identity: identity?.identity, verifier: verifier),
                addressRules)
        } catch {
            throw .authoritiesUnavailable(message: error.message)
        }
    }

    /// Creates plain connections.
    static func plain(
        loop: EventLoop, resolver: Resolver, addressRules: AddressRules
    ) throws(TLSError) -> Connector {
        make(loop, resolver, try TLSClientContext(store: nil), addressRules)
    }

    private static func make(
        _ loop: EventLoop, _ resolver: Resolver, _ context: TLSClientContext,
        _ addressRules: AddressRules
    ) -> Connector {
        var limits = ConnectLimits()
        // Calls enforce their own limits, which may be longer than a connector's.
        limits.lookupNs = .max / 4
        limits.handshakeNs = .max / 4
        return Connector(loop: loop, resolver: resolver, tls: context, limits: limits) {
            addressRules.allows($0.ip) ? .granted : .denied
        }
    }
}
