internal import Synchronization

/// Server certificates for the names that clients request, created on demand and cached.
///
/// The cache key is the whole name (a short hash once let one site's certificate be used for
/// another). All leaves share one private key that lives as long as the process. Safe to use from
/// any thread; a leaf is created under the lock, since that takes a fraction of a millisecond.
public final class LeafCertificateCache: Sendable {
    /// The maximum number of cached names.
    public static let nameCountMax = 1_000
    /// The lifetime of a ticket key.
    private static let ticketKeyLifeSeconds = 86_400

    private struct State {
        var base: ServerContextBase
        var contexts: LRUCache<String, TLSServerContext>
    }

    /// The CA that signs the leaves.
    public let authority: CertificateAuthority
    private let key: PrivateKey
    private let clock: @Sendable () -> Int
    private let state: Mutex<State>

    /// Creates a cache of leaves that `authority` signs. `clock` returns seconds since 1970.
    public init(
        authority: CertificateAuthority,
        clock: @escaping @Sendable () -> Int = CertificateClock.now
    ) throws(TLSError) {
        self.authority = authority
        self.clock = clock
        key = try PrivateKey.generate()
        state = Mutex(
            State(
                base: try ServerContextBase(madeAt: clock()),
                contexts: LRUCache(countMax: Self.nameCountMax)))
    }

    /// The number of names currently cached.
    public var nameCount: Int { state.withLock { $0.contexts.count } }

    /// The context for clients that request `name`, a DNS name (in its ASCII form) or an address.
    ///
    /// Throws if no certificate can be created for that name, or none at all.
    public func serverContext(for name: String) throws(TLSError) -> TLSServerContext {
        let peer = PeerName(name)
        guard peer.isIssuable else {
            throw TLSError(
                kind: .configuration, message: "no certificate can be made for this name")
        }
        let now = clock()
        return try state.withLock { (state) throws(TLSError) in
            try renewTicketKeys(&state, now)
            let cached = state.contexts.value(for: peer.description)
            let leaf = cached.flatMap { isFresh($0.leaf, now) ? $0.leaf : nil }
            if let cached, leaf != nil, cached.base === state.base { return cached }
            let shown =
                if let leaf { leaf } else { try authority.issue(for: peer, key: key, now: now) }
            let context = TLSServerContext(name: peer.description, base: state.base, leaf: shown)
            state.contexts.insert(context, for: peer.description)
            return context
        }
    }

    private func isFresh(_ leaf: LeafCertificate, _ now: Int) -> Bool {
        LeafPolicy.isFresh(leaf, now: now, issuerNotAfter: authority.notAfter)
    }

    private func renewTicketKeys(_ state: inout State, _ now: Int) throws(TLSError) {
        let age = now - state.base.madeAt
        guard !(0..<Self.ticketKeyLifeSeconds).contains(age) else { return }
        state.base = try ServerContextBase(madeAt: now)
    }
}
