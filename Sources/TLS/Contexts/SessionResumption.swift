internal import ProxydCOpenSSL
internal import Synchronization

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

    /// Takes ownership of the reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_SESSION_free(pointer)
    }

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
    init(clock: @escaping @Sendable () -> Int = CertificateClock.now) {
        self.clock = clock
    }

    /// Stores a session.
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
