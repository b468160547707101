internal import ProxydCOpenSSL
internal import Synchronization

/// The state that all client sessions share: the trust store, and sessions to resume.
///
/// `@unchecked Sendable`: the `SSL_CTX` is set up in `init` and only read afterwards; OpenSSL locks
/// its own counters and its certificate store.
public final class TLSClientContext: @unchecked Sendable {
    /// Forward secrecy comes first in OpenSSL's default order; insecure remaining suites (SHA-1 as
    /// MAC, no authentication, passwords) are removed.
    private static let ciphers = "DEFAULT:!SHA1:!aNULL:!eNULL:!PSK:!SRP"

    let pointer: OpaquePointer
    let resumption = SessionResumption()
    /// Verifies servers in place of the trust store.
    let verifier: (any ServerVerifying)?

    /// Whether all sessions show a certificate.
    let hasIdentity: Bool

    /// Loads the trust store. Throws an error that names a file if it is unreadable.
    public convenience init(
        trust: TrustSource = .system(extraFiles: []), highestVersion: TLSVersion = .tls13
    ) throws(TLSError) {
        try self.init(store: try TrustStore(trust), highestVersion: highestVersion)
    }

    /// Trusts the issuers in a store, or no one if it is nil. `identity` is presented to servers
    /// that request a certificate; `verifier`, if given, verifies in place of the store.
    public init(
        store: TrustStore?, highestVersion: TLSVersion = .tls13,
        identity: ClientIdentity? = nil, verifier: (any ServerVerifying)? = nil
    ) throws(TLSError) {
        self.verifier = verifier
        hasIdentity = identity != nil
        ErrorQueue.clear()
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw ErrorQueue.configurationError("cannot make a TLS client")
        }
        pointer = context
        try ContextDefaults.apply(
            to: context, ciphers: Self.ciphers, highestVersion: highestVersion)
        copenssl_ctx_set_session_cache_mode(
            context, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(context, newSession)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context, verifyPeerChain, nil)
        _ = copenssl_ctx_set_stapled_status_callback(context, stapledStatusReceived)
        SSL_CTX_set_cert_cb(context, certificateRequested, nil)
        try identity?.apply(to: context)
        if let store { SSL_CTX_set1_cert_store(context, store.pointer) }
    }

    deinit { SSL_CTX_free(pointer) }
}

/// How a client session is created and which servers it accepts.
public struct TLSPolicy: Sendable, Hashable {
    /// Whether a bad certificate ends the handshake.
    public enum Verification: Sendable, Hashable {
        /// A certificate that fails verification ends the handshake.
        case required
        /// The certificate is verified and a problem reported, but the session continues.
        case disabled
    }

    /// The name to send as SNI, or nil for none. An address is never sent (RFC 6066 §3).
    public var serverName: String?
    /// The DNS name or address the certificate must be for.
    public var verifyName: String
    public var verification: Verification
    /// The ALPN protocols to offer, in order of preference; empty for no ALPN.
    public var alpn: [String]

    /// The certificate to show if the server asks for one; nil for none.
    public var identity: ClientIdentity?

    /// Creates a policy for the server `name` (a DNS name or an address, brackets allowed).
    public init(
        name: String, verification: Verification = .required, alpn: [String] = ["http/1.1"]
    ) {
        self.init(serverName: name, verifyName: name, verification: verification, alpn: alpn)
    }

    /// Creates a policy with an SNI name that may differ from the name to verify.
    public init(
        serverName: String?, verifyName: String, verification: Verification = .required,
        alpn: [String] = ["http/1.1"]
    ) {
        self.serverName = serverName
        self.verifyName = verifyName
        self.verification = verification
        self.alpn = alpn
    }
}

/// What two sessions must have in common for resumption: the server and everything its certificate
/// was checked against.
struct ResumptionKey: Hashable {
    let policy: TLSPolicy
    let port: UInt16
}

/// Owns one reference to an `SSL_SESSION`.
///
/// `@unchecked Sendable`: OpenSSL counts references atomically and treats a session as read-only
/// after handing it out.
final class ResumableSession: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { SSL_SESSION_free(pointer) }

    /// The creation time of the session, in seconds since 1970.
    var madeAt: Int { Int(SSL_SESSION_get_time(pointer)) }

    /// TLS 1.3 tickets are used once, so that observers cannot link connections (RFC 8446 appendix
    /// C.4).
    var isSingleUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }
}

/// Client sessions to resume, shared by all loops.
final class SessionResumption: Sendable {
    /// A session, and the problem that verification found with its server.
    struct Entry: Sendable {
        let session: ResumableSession
        let problem: CertificateProblem?
    }

    /// The maximum number of sessions per server: as many connections as a page opens in parallel.
    private static let perServerCountMax = 4
    private static let serverCountMax = 512
    /// A resumed session does not verify the certificate again, so sessions expire early.
    private static let ageMaxSeconds = 3_600

    private let clock: @Sendable () -> Int
    private let cache = Mutex(LRUCache<ResumptionKey, [Entry]>(countMax: serverCountMax))

    /// `clock` returns seconds since 1970.
    init(clock: @escaping @Sendable () -> Int = CertificateClock.now) { self.clock = clock }

    func put(_ entry: Entry, for key: ResumptionKey) {
        cache.withLock { cache in
            let entries = (cache.value(for: key) ?? []) + [entry]
            cache.insert(Array(entries.suffix(Self.perServerCountMax)), for: key)
        }
    }

    /// The newest session for `key`; removed if it can be used only once.
    func take(_ key: ResumptionKey) -> Entry? {
        let now = clock()
        return cache.withLock { cache in
            guard var entries = cache.value(for: key), let entry = entries.popLast(),
                (0...Self.ageMaxSeconds).contains(now - entry.session.madeAt)
            else { return nil }
            if entry.session.isSingleUse { cache.insert(entries, for: key) }
            return entry
        }
    }
}
