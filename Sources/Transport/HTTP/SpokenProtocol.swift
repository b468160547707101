/// What a server was found to speak over TLS, by what it took of what was offered (RFC 7301).
public enum SpokenProtocol: Sendable, Hashable {
    /// HTTP/2.
    case http2
    /// HTTP/1.1.
    case http1
    /// It took nothing: HTTP/1.1, without saying so.
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

/// What servers were found to speak, for a while. Confined to its loop.
struct ProtocolMemory {
    private static let lifetimeNs: Int64 = 600_000_000_000
    private static let countMax = 4_096

    private struct Entry {
        var spoken: SpokenProtocol
        var since: Int64
        /// How many streams it takes at a time; nil where it did not say.
        var streamCountMax: UInt32?
        /// Whether it takes extended CONNECT; nil where its settings have not told.
        var takesExtendedConnect: Bool?
    }

    private var known: [ConnectTarget: Entry] = [:]

    /// What a server speaks; nil where it is not known, or was found out long ago.
    func spoken(by target: ConnectTarget, now: Int64) -> SpokenProtocol? {
        entry(target, now: now)?.spoken
    }

    /// Whether a server can be asked for another protocol; nil where it is not known.
    func extendedConnect(by target: ConnectTarget, now: Int64) -> ExtendedConnectSupport? {
        guard let entry = entry(target, now: now) else { return nil }
        switch (entry.spoken, entry.takesExtendedConnect) {
        case (_, false?): return .notOffered
        case (.http2, true?): return .offered
        case (.http2, nil): return nil
        case (.http1, _), (.unsaid, _): return .byUpgrade
        }
    }

    /// How many streams a server takes at a time; nil where that is not known.
    func streamCountMax(of target: ConnectTarget, now: Int64) -> UInt32? {
        entry(target, now: now)?.streamCountMax
    }

    /// Notes how many streams a server that is known takes at a time.
    mutating func note(streamCountMax: UInt32?, of target: ConnectTarget) {
        known[target]?.streamCountMax = streamCountMax
    }

    private func entry(_ target: ConnectTarget, now: Int64) -> Entry? {
        guard let entry = known[target], now &- entry.since < ProtocolMemory.lifetimeNs else {
            return nil
        }
        return entry
    }

    /// Notes what a server was found to speak.
    mutating func note(_ spoken: SpokenProtocol, by target: ConnectTarget, now: Int64) {
        if known.count >= ProtocolMemory.countMax, known[target] == nil { forgetOld(now: now) }
        let before = known[target]
        known[target] = Entry(
            spoken: spoken, since: now, streamCountMax: before?.streamCountMax,
            takesExtendedConnect: before?.spoken == spoken ? before?.takesExtendedConnect : nil)
    }

    /// Notes whether a server whose protocol is noted takes extended CONNECT.
    mutating func note(takesExtendedConnect: Bool, by target: ConnectTarget) {
        known[target]?.takesExtendedConnect = takesExtendedConnect
    }

    /// Makes room: what is too old goes, and where that is nothing, the oldest.
    private mutating func forgetOld(now: Int64) {
        known = known.filter { now &- $0.value.since < ProtocolMemory.lifetimeNs }
        guard known.count >= ProtocolMemory.countMax,
            let oldest = known.min(by: { $0.value.since < $1.value.since })
        else { return }
        known[oldest.key] = nil
    }
}
