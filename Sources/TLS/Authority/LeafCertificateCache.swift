internal import Synchronization

/// Server certificates for the names that clients request, created on demand and cached.
///
/// The cache key is the whole name (a short hash once let one site's certificate be used for
/// another). All leaves share one private key that lives as long as the process. Safe to use from
/// any thread; a leaf is created under the lock, since that takes a fraction of a millisecond.
public final class LeafCertificateCache: Sendable {
    public static let nameCountMax = 1_000
    private static let ticketKeyLifeSeconds = 86_400

    private struct State {
        var base: ServerContextBase
        var contexts: LRUCache<String, TLSServerContext>
    }

    public let authority: CertificateAuthority
    private let key: PrivateKey
    private let clock: @Sendable () -> Int
    private let state: Mutex<State>

    /// Creates a cache of leaves that `authority` signs. `clock` returns seconds since 1970.
    public init(
        authority: CertificateAuthority, clock: @escaping @Sendable () -> Int = CertificateClock.now
    ) throws(TLSError) {
        self.authority = authority
        self.clock = clock
        key = try PrivateKey.generate()
        state = Mutex(
            State(
                base: try ServerContextBase(madeAt: clock()),
                contexts: LRUCache(countMax: Self.nameCountMax)))
    }

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

/// A server certificate with its private key.
struct LeafCertificate: Sendable {
    let certificate: Certificate
    /// Certificates to send along, each signed by the next one.
    var intermediates: [Certificate] = []
    let key: PrivateKey
    let validity: CertificateBuilder.Validity
}

/// The lifetime of leaves: short enough that a leaked one soon expires and no client rejects it as
/// too long, and backdated for clients with a slow clock.
enum LeafPolicy {
    private static let day = 86_400
    private static let backdatingSeconds = day
    private static let lifeSeconds = 6 * day
    /// A leaf with less remaining time is replaced.
    private static let remainderSecondsMin = day

    /// The validity of a leaf created at `now`; it does not outlive its issuer.
    static func validity(now: Int, issuerNotAfter: Int) -> CertificateBuilder.Validity {
        .init(from: now - backdatingSeconds, to: min(now + lifeSeconds, issuerNotAfter))
    }

    /// Whether a leaf can still be used at `now`. It cannot if the clock was set back to before its
    /// creation. A leaf that expires with its issuer is not replaced, since a new one would not
    /// last longer.
    static func isFresh(_ leaf: LeafCertificate, now: Int, issuerNotAfter: Int) -> Bool {
        let start = leaf.validity.from
        let end = leaf.validity.to
        let isBestPossible = end >= issuerNotAfter
        return start <= now && now < end && (isBestPossible || end - now > remainderSecondsMin)
    }
}

/// A dictionary that keeps the `countMax` most recently used entries.
///
/// Eviction examines every entry: with a thousand of them that costs less than the signature whose
/// result is being inserted.
struct LRUCache<Key: Hashable, Value> {
    private struct Entry {
        var value: Value
        var lastUse: UInt64
    }

    private let countMax: Int
    private var entries: [Key: Entry] = [:]
    private var useCount: UInt64 = 0

    init(countMax: Int) { self.countMax = countMax }

    var count: Int { entries.count }

    /// The value of `key`; marks it as recently used.
    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        useCount &+= 1
        entries.values[index].lastUse = useCount
        return entries.values[index].value
    }

    /// Sets the value of `key`; evicts the least recently used entry if there are too many.
    mutating func insert(_ value: Value, for key: Key) {
        useCount &+= 1
        entries[key] = Entry(value: value, lastUse: useCount)
        guard entries.count > countMax,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        entries[oldest.key] = nil
    }
}
