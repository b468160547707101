/// The protocol that a server speaks over TLS, according to its choice from the offer (RFC 7301).
public enum SpokenProtocol: Sendable, Hashable {
    /// The server chose `h2`.
    case http2
    /// The server chose `http/1.1`.
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

    /// Remembers the protocol of a server.
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
