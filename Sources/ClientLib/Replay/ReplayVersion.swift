internal import ProxydHTTPModel

/// Which version of HTTP a replay speaks.
public enum ReplayVersion: String, Sendable, Hashable, CaseIterable {
    /// The one that the captured request reached its server in. For one that reached none and came
    /// in HTTP/2 over TLS, and for HTTP/3, the server chooses by ALPN.
    case recorded
    /// HTTP/1.1.
    case http11 = "1.1"
    /// HTTP/2, without TLS by prior knowledge. A server that does not speak it fails the replay.
    case http2 = "2"

    /// What is spoken to send an exchange again.
    func protocols(for exchange: Exchange) -> [HTTPProtocol] {
        let serverVersion = exchange.http2?.serverVersion
        let recorded = serverVersion ?? exchange.request.head?.version ?? .http11
        let isHTTP2 = self == .http2 || (self == .recorded && recorded >= .http2)
        guard isHTTP2 else { return [.http11] }
        let version = HTTPProtocol.onlyHTTP2(scheme: exchange.request.url?.scheme ?? "http")
        let isServersChoice = self == .recorded && serverVersion == nil && version == .http2
        return isServersChoice ? [.http2, .http11] : [version]
    }
}
