public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire
public import ProxydTLS

/// Finding out which protocol a server speaks before anything is sent to it.
extension HTTPTransport {
    /// The protocol that a server chose from the target's offer, if there is, or recently was, a
    /// connection to it.
    public func spoken(by target: ConnectTarget) -> SpokenProtocol? {
        hasShared(target) ? .http2 : memory.spoken(by: target, now: loop.now)
    }

    /// A server that accepted HTTP/2 turned out to require HTTP/1.1.
    func noteHTTP1(_ target: ConnectTarget) {
        memory.note(.http1, by: target, now: loop.now)
        note(takesExtendedConnect: false, by: target)
    }

    /// Remembers the protocol that a new connection revealed.
    func note(_ established: EstablishedConnection, to target: ConnectTarget) {
        guard target.mayBeShared else { return }
        let isHTTP2 = established.speaksHTTP2(target)
        memory.note(
            isHTTP2 ? .http2 : SpokenProtocol(alpn: established.security?.alpn), by: target,
            now: loop.now)
        if !isHTTP2 { tellWhoWaits(for: target, isUsable: true) }
    }

    // MARK: Extended CONNECT

    /// Whether a server supports extended CONNECT (RFC 8441); nil if that is unknown. Sending such
    /// a request finds out in any case: it is sent as it is over HTTP/2, as an Upgrade over
    /// HTTP/1.1, and fails if the server supports neither.
    public func extendedConnect(by target: ConnectTarget) -> ExtendedConnectSupport? {
        target.mayBeShared ? memory.extendedConnect(by: target, now: loop.now) : .byUpgrade
    }

    /// The settings of an HTTP/2 server arrived.
    func note(takesExtendedConnect: Bool, by target: ConnectTarget) {
        memory.note(takesExtendedConnect: takesExtendedConnect, by: target)
        tellWhoWaits(for: target, isUsable: takesExtendedConnect)
    }

    private func tellWhoWaits(for target: ConnectTarget, isUsable: Bool) {
        for tell in answerWatch.take(target) { tell() }
        guard isUsable else { return }
        for tell in extendedConnectWatch.take(target) { tell() }
    }

    /// Adds to the pool an established connection to a server known to speak HTTP/2, so that its
    /// settings arrive before any request is sent. If the pool has no room for another idle
    /// connection, the caller keeps it.
    public func open(_ prepared: PreparedConnection, to target: ConnectTarget) {
        let key = ConnectionKey(target: target, owner: .shared)
        guard target.hasPriorKnowledge, hasRoomForIdle(key), let established = prepared.take()
        else { return }
        guard established.stream.isOpen else { return established.stream.abort() }
        offer(established, key)
    }

    // MARK: Agreement

    /// Makes a connection, over a plain one if given, and reports its protocol. An HTTP/2
    /// connection is put in the pool for later requests; an HTTP/1 connection is returned.
    public func agree(
        on target: ConnectTarget, over prepared: PreparedConnection?,
        completion: @escaping (Result<AgreedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let done: (Result<EstablishedConnection, ExchangeFailure>) -> Void = { [weak self] in
            guard let self else { return }
            completion($0.map { self.agreed($0, target) })
        }
        let plain = prepared?.take()
        guard let plain, plain.early.isEmpty else {
            plain?.stream.abort()
            return connector.connect(to: target, deadlineNs: connectDeadlineNs, completion: done)
        }
        return connector.secure(plain, for: target, deadlineNs: connectDeadlineNs, completion: done)
    }

    private func agreed(
        _ established: EstablishedConnection, _ target: ConnectTarget
    ) -> AgreedConnection {
        guard established.speaksHTTP2(target) else {
            note(established, to: target)
            return AgreedConnection(
                spoken: SpokenProtocol(alpn: established.security?.alpn), unused: established)
        }
        offer(established, ConnectionKey(target: target, owner: .shared))
        return AgreedConnection(spoken: .http2, unused: nil)
    }
}

/// The result of asking a server for its protocol.
public struct AgreedConnection {
    public let spoken: SpokenProtocol
    /// The unused connection that revealed it; nil if the transport's pool has it.
    public let unused: EstablishedConnection?
}

/// The protocol that a server speaks over TLS, according to its choice from the offer (RFC 7301).
public enum SpokenProtocol: Sendable, Hashable {
    case http2
    case http1
    /// The server chose nothing: it speaks HTTP/1.1 without ALPN.
    case unsaid

    init(alpn: String?) {
        self =
            switch alpn {
            case "h2": .http2
            case .some: .http1
            case nil: .unsaid
            }
    }
}

/// Remembers for a while which protocols servers speak. Confined to its loop.
struct ProtocolMemory {
    private static let lifetimeNs: Int64 = 600_000_000_000
    private static let countMax = 4_096

    private struct Entry {
        var spoken: SpokenProtocol
        var since: Int64
        /// The server's stream limit; nil if it announced none.
        var streamCountMax: UInt32?
        /// Whether it supports extended CONNECT; nil if its settings have not arrived.
        var takesExtendedConnect: Bool?
    }

    private var known: [ConnectTarget: Entry] = [:]

    /// The protocol of a server; nil if it is unknown or was learned too long ago.
    func spoken(by target: ConnectTarget, now: Int64) -> SpokenProtocol? {
        entry(target, now: now)?.spoken
    }

    /// Whether a server supports extended CONNECT; nil if that is unknown.
    func extendedConnect(by target: ConnectTarget, now: Int64) -> ExtendedConnectSupport? {
        guard let entry = entry(target, now: now) else { return nil }
        switch (entry.spoken, entry.takesExtendedConnect) {
        case (_, false?): return .notOffered
        case (.http2, true?): return .offered
        case (.http2, nil): return nil
        case (.http1, _), (.unsaid, _): return .byUpgrade
        }
    }

    /// The stream limit of a server; nil if it is unknown.
    func streamCountMax(of target: ConnectTarget, now: Int64) -> UInt32? {
        entry(target, now: now)?.streamCountMax
    }

    /// Remembers the stream limit of a server whose protocol is known.
    mutating func note(streamCountMax: UInt32?, of target: ConnectTarget) {
        known[target]?.streamCountMax = streamCountMax
    }

    private func entry(_ target: ConnectTarget, now: Int64) -> Entry? {
        guard let entry = known[target], now &- entry.since < ProtocolMemory.lifetimeNs else {
            return nil
        }
        return entry
    }

    mutating func note(_ spoken: SpokenProtocol, by target: ConnectTarget, now: Int64) {
        if known.count >= ProtocolMemory.countMax, known[target] == nil { forgetOld(now: now) }
        let before = known[target]
        known[target] = Entry(
            spoken: spoken, since: now, streamCountMax: before?.streamCountMax,
            takesExtendedConnect: before?.spoken == spoken ? before?.takesExtendedConnect : nil)
    }

    /// Remembers whether a server whose protocol is known supports extended CONNECT.
    mutating func note(takesExtendedConnect: Bool, by target: ConnectTarget) {
        known[target]?.takesExtendedConnect = takesExtendedConnect
    }

    /// Makes room: removes outdated entries or, if there are none, the oldest one.
    private mutating func forgetOld(now: Int64) {
        known = known.filter { now &- $0.value.since < ProtocolMemory.lifetimeNs }
        guard known.count >= ProtocolMemory.countMax,
            let oldest = known.min(by: { $0.value.since < $1.value.since })
        else { return }
        known[oldest.key] = nil
    }
}

/// Whether a server supports another protocol on an HTTP/2 stream (RFC 8441), as far as its
/// connections have shown.
public enum ExtendedConnectSupport: Sendable, Hashable {
    /// It speaks HTTP/2 and announces extended CONNECT.
    case offered
    /// It speaks HTTP/2 and does not announce extended CONNECT.
    case notOffered
    /// It speaks HTTP/1.1: an extended CONNECT for WebSocket is translated into an Upgrade. Other
    /// protocols are not supported.
    case byUpgrade

    /// Whether a request for a WebSocket may succeed.
    public var isUsable: Bool { self != .notOffered }
}

/// Callbacks that wait until a server is known to support extended CONNECT. Confined to its loop.
struct ExtendedConnectWatch {
    private var waiting: [ConnectTarget: [ObjectIdentifier: () -> Void]] = [:]

    /// Calls `tell` once, unless `owner` is removed first.
    mutating func add(_ target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void) {
        waiting[target, default: [:]][ObjectIdentifier(owner)] = tell
    }

    mutating func remove(_ target: ConnectTarget, for owner: AnyObject) {
        waiting[target]?[ObjectIdentifier(owner)] = nil
        if waiting[target]?.isEmpty == true { waiting[target] = nil }
    }

    /// Removes and returns all callbacks for a server.
    mutating func take(_ target: ConnectTarget) -> [() -> Void] {
        guard !waiting.isEmpty, let all = waiting.removeValue(forKey: target) else { return [] }
        return Array(all.values)
    }
}

/// A plain connection to a server that is established but unused: made before CONNECT was answered,
/// it waits until the client's protocol is known. Confined to its loop.
///
/// ```
/// waiting ──take──▶ taken        waiting ──server ends, fails or speaks unexpectedly──▶ lost
///    └──discard──▶ lost
/// ```
/// An HTTP/2 server sends its settings first. That reveals nothing about the client's protocol, so
/// they are kept for the next owner of the connection.
public final class PreparedConnection: DuplexStreamDelegate {
    private enum State {
        case waiting(EstablishedConnection)
        case taken
        case lost
    }

    /// The maximum number of bytes kept of what the server sends first.
    private static let earlyByteCountMax = 16 << 10

    private var state: State
    private var early: [UInt8] = []
    /// Called once when the server sends bytes before any request: no TLS or HTTP/1 server does
    /// that.
    public var onServerSpoke: ((Span<UInt8>) -> Void)?
    /// Called once when the server ends or breaks the connection, or sends bytes that no one takes.
    public var onLost: (() -> Void)?

    public init(_ established: EstablishedConnection) {
        state = .waiting(established)
        early = established.early
        established.stream.delegate = self
    }

    /// Transfers the connection; nil if it was already transferred or is closed. The caller sets
    /// the stream's delegate.
    public func take() -> EstablishedConnection? {
        guard case .waiting(var established) = state else { return nil }
        leave(.taken)
        established.early = early
        return established
    }

    /// Whether the server's first bytes came with the answer of an upstream proxy, and are not the
    /// settings of an HTTP/2 server.
    public var hasServerSpoken: Bool {
        let early = early
        return !early.isEmpty && !HTTP2Connection.isServerPreface(early.span)
    }

    /// Closes the connection if no one has taken it.
    public func discard() {
        guard case .waiting(let established) = state else { return }
        leave(.lost)
        established.stream.close()
    }

    /// The server sent bytes before any request: the handler must take the connection during this
    /// call.
    public func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        if !early.isEmpty || HTTP2Connection.isServerPreface(bytes) {
            bytes.withUnsafeBufferPointer { early.append(contentsOf: $0) }
            if early.count > Self.earlyByteCountMax { lose() }
        } else if let onServerSpoke {
            onServerSpoke(bytes)
        } else {
            lose()
        }
    }

    public func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { lose() }

    public func streamDidDrain(_ stream: any DuplexStream) {}

    public func stream(_ stream: any DuplexStream, didFail error: StreamError) { lose() }

    private func lose() {
        guard case .waiting(let established) = state else { return }
        let tell = onLost
        leave(.lost)
        established.stream.abort()
        tell?()
    }

    private func leave(_ next: State) {
        state = next
        onServerSpoke = nil
        onLost = nil
    }
}

extension TLSPolicy {
    /// The TLS policy of a proxy towards the server of an intercepted tunnel.
    ///
    /// The server name that the client sent is forwarded and verified; if it sent none, or an
    /// address, the certificate must match the host that CONNECT named.
    public static func proxied(
        host: String, serverName: String?, isVerified: Bool, alpn: [String] = ["http/1.1"]
    ) -> TLSPolicy {
        let asked = serverName.map(HostName.canonical)
        let isAddress = asked.map { SocketAddress(ip: $0, port: 0) != nil } ?? true
        let known = HostName.canonical(host)
        return TLSPolicy(
            name: isAddress ? known : asked ?? known,
            verification: isVerified ? .required : .disabled, alpn: alpn)
    }
}
