public import ProxydHTTPModel

/// Who may use the server: checks Host, Origin and Sec-Fetch-Site against DNS rebinding and
/// requests of other sites, and the token.
public struct WebAccess: Sendable {
    /// The values of Host that are accepted, in lower case, each with its port.
    private let hosts: Set<String>
    /// Those that a reverse proxy may offer over TLS.
    private let otherHosts: Set<String>
    /// The token that requests below a protected path carry as `Authorization: Bearer`.
    private let token: [UInt8]

    /// - Parameters:
    ///   - address: The address that it listens on, as in a URL, if that is not a loopback one.
    ///   - otherHosts: Further values of Host, as `NAME:PORT`, for tunnels and reverse proxies. At
    ///     the default ports, 80 and 443, browsers leave out the port (RFC 9110 §4.2).
    ///   - token: The secret; at least 256 bits of randomness, in characters of a URL fragment.
    public init(port: UInt16, address: String? = nil, otherHosts: [String] = [], token: String) {
        let names = ["127.0.0.1", "localhost", "[::1]"] + (address.map { [$0.lowercased()] } ?? [])
        let own = names.map { "\($0):\(port)" }
        self.otherHosts = Set(otherHosts.map { $0.lowercased() })
        hosts = self.otherHosts.union(own)
        self.token = Array(token.utf8)
    }

    /// Returns why a request is refused whatever its path, or nil if it is not.
    public func objection(to fields: HeaderFields) -> WebProblem? {
        let named = fields.values(named: "Host")
        guard named.count == 1, isKnown(named[0].lowercased()) else {
            return WebProblem(
                421,
                "this server is not known by that host and port; to reach it by them, start "
                    + "it with --allow-host \(WebAccess.shown(named.first ?? ""))")
        }
        if let site = fields["Sec-Fetch-Site"], site != "same-origin", site != "none" {
            return WebProblem(403, "requests from other sites are refused")
        }
        if let origin = fields["Origin"], !isOwn(origin: origin, host: named[0]) {
            return WebProblem(403, "requests from other origins are refused")
        }
        return nil
    }

    /// Returns why a request may not use the API, or nil if it may.
    public func objectionWithoutToken(_ fields: HeaderFields) -> WebProblem? {
        let named = fields.values(named: "Authorization")
        let prefix = "bearer "
        guard named.count == 1, named[0].lowercased().hasPrefix(prefix),
            isToken(Array(named[0].utf8.dropFirst(prefix.utf8.count)))
        else {
            return WebProblem(
                401, "the token is missing or wrong; open the address that proxyctl web printed")
        }
        return nil
    }

    /// Compares in time that does not depend on the place of a difference.
    private func isToken(_ candidate: [UInt8]) -> Bool {
        guard candidate.count == token.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(candidate, token) { difference |= left ^ right }
        return difference == 0
    }

    /// Whether a Host names this server; without a port, it means that of http or https.
    private func isKnown(_ host: String) -> Bool {
        if WebAccess.hasPort(host) { return hosts.contains(host) }
        return hosts.contains(host + ":80") || otherHosts.contains(host + ":443")
    }

    /// A browser sends the origin of the page, whose scheme is https only behind a reverse proxy.
    private func isOwn(origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        let host = host.lowercased()
        for (scheme, port, known) in [("http", 80, hosts), ("https", 443, otherHosts)] {
            guard origin.hasPrefix(scheme + "://") else { continue }
            let named = WebAccess.withPort(String(origin.dropFirst(scheme.count + 3)), port)
            return named == WebAccess.withPort(host, port) && known.contains(named)
        }
        return false
    }

    private static func hasPort(_ host: String) -> Bool {
        host.lastIndex(of: ":").map { !host[$0...].contains("]") } ?? false
    }

    private static func withPort(_ host: String, _ port: Int) -> String {
        hasPort(host) ? host : "\(host):\(port)"
    }

    /// Explains how to allow a host, as far as it is safe to print; it comes from the request.
    private static func shown(_ host: String) -> String {
        let isPlain = host.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x3A) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
                || [0x2D, 0x2E, 0x5B, 0x5D, 0x5F].contains($0)
        }
        guard isPlain, !host.isEmpty, host.utf8.count <= 255 else { return "NAME:PORT" }
        return hasPort(host) ? host : "\(host):443 (over TLS) or \(host):80"
    }
}

/// Makes the secret that clients of a server carry.
public enum WebToken {
    private static let byteCount = 32

    /// Returns 256 random bits as 64 hexadecimal digits.
    public static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
