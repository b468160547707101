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

    private var known: [ConnectTarget: (spoken: SpokenProtocol, since: Int64)] = [:]

    /// What a server speaks; nil where it is not known, or was found out long ago.
    func spoken(by target: ConnectTarget, now: Int64) -> SpokenProtocol? {
        guard let entry = known[target], now &- entry.since < ProtocolMemory.lifetimeNs else {
            return nil
        }
        return entry.spoken
    }

    /// Notes what a server was found to speak.
    mutating func note(_ spoken: SpokenProtocol, by target: ConnectTarget, now: Int64) {
        if known.count >= ProtocolMemory.countMax, known[target] == nil { forgetOld(now: now) }
        known[target] = (spoken, now)
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
