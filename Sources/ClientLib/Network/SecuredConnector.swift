internal import ProxydEventLoops
internal import ProxydTLS
internal import ProxydTransport

/// Makes secure connections to the hosts that have an evaluator and a client certificate in
/// common. Confined to its loop.
struct SecuredConnector {
    /// The entries that the hosts are found by; nil where they have none.
    struct Key: Hashable {
        let evaluator: String?
        let identity: String?
    }

    let connector: Connector
    /// Lets the evaluator judge; nil where the authorities do.
    let verifier: ServerTrustVerifier?

    init(
        loop: EventLoop, resolver: Resolver, authorities: AuthorityStore,
        evaluator: (any ServerTrustEvaluating)?, identity: ClientCertificate?,
        addressRules: AddressRules
    ) throws(ServerTrustError) {
        verifier = evaluator.map { ServerTrustVerifier($0, authorities: authorities) }
        // An evaluator may trust without any authority: it asks for them where it needs them.
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

    /// Makes plain connections.
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
        // The calls watch over their own limits, which may be longer than a connector's.
        limits.lookupNs = .max / 4
        limits.handshakeNs = .max / 4
        return Connector(loop: loop, resolver: resolver, tls: context, limits: limits) {
            addressRules.allows($0.ip) ? .granted : .denied
        }
    }
}
