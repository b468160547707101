internal import ProxydCOpenSSL
internal import Synchronization

/// What a session must have in common with an earlier one to resume it: the server and everything
/// its certificate was checked against.
struct ResumptionKey: Hashable {
    let policy: TLSPolicy
    let port: UInt16
}

/// Owns one reference to an `SSL_SESSION`.
///
/// `@unchecked Sendable`: OpenSSL counts references atomically and takes a session as read-only
/// once it was handed out.
final class ResumableSession: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_SESSION_free(pointer)
    }

    /// When the session was made, seconds since 1970.
    var madeAt: Int { Int(SSL_SESSION_get_time(pointer)) }

    /// TLS 1.3 tickets are for one use, lest an observer link connections (RFC 8446 appendix C.4).
    var isSingleUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }
}

/// Client sessions to resume, shared by all loops.
final class SessionResumption: Sendable {
    /// A session and what verification had against its server when it was made.
    struct Entry: Sendable {
        let session: ResumableSession
        let problem: CertificateProblem?
    }

    /// One server's sessions: as many as a page opens connections at once.
    private static let perServerCountMax = 4
    private static let serverCountMax = 512
    /// A resumed session does not look at the certificate again, so none is resumed for long.
    private static let ageMaxSeconds = 3_600

    private let clock: @Sendable () -> Int
    private let cache = Mutex(LRUCache<ResumptionKey, [Entry]>(countMax: serverCountMax))

    /// `clock` tells seconds since 1970.
    init(clock: @escaping @Sendable () -> Int = CertificateClock.now) {
        self.clock = clock
    }

    /// Remembers a session.
    func put(_ entry: Entry, for key: ResumptionKey) {
        cache.withLock { cache in
            let entries = (cache.value(for: key) ?? []) + [entry]
            cache.insert(Array(entries.suffix(Self.perServerCountMax)), for: key)
        }
    }

    /// The newest session for `key`, removed where it can be used only once.
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
