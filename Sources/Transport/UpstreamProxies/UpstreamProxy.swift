internal import ProxydHTTPModel
public import ProxydHTTPWire
internal import ProxydTLS

internal import Synchronization

/// A proxy through which servers are reached, and what is known about how it authenticates. Two
/// objects are never the same proxy, even with equal properties.
public final class UpstreamProxy: Sendable, Hashable, CustomStringConvertible {
    /// The protocol used with a proxy.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP: requests in absolute-form, and CONNECT.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS 5, with names that the proxy resolves.
        case socks5
        /// SOCKS 4, with names that the proxy resolves.
        case socks4a
    }

    /// The name in the configuration.
    public let name: String
    /// The protocol.
    public let kind: Kind
    /// A name or an address, without brackets.
    public let host: String
    /// The port.
    public let port: UInt16
    /// The credentials; for SOCKS 4 only the name is sent.
    public let password: ProxyPassword?
    /// The form of the PROXY header that names the client; nil to send none.
    public let headerVersion: PROXYVersion?
    /// The TLS policy for the proxy; nil without TLS.
    let tls: TLSPolicy?
    private let digest = Mutex<DigestSession?>(nil)

    /// Creates a proxy. `isVerified` is false if its certificate is not verified.
    public init(
        name: String, kind: Kind, host: String, port: UInt16, password: ProxyPassword? = nil,
        headerVersion: PROXYVersion? = nil, isVerified: Bool = true
    ) {
        self.name = name
        self.kind = kind
        self.host = host
        self.port = port
        self.password = password
        self.headerVersion = headerVersion
        tls =
            kind == .https
            ? TLSPolicy(name: host, verification: isVerified ? .required : .disabled) : nil
    }

    /// Whether it takes requests in absolute-form and CONNECT.
    public var speaksHTTP: Bool { kind == .http || kind == .https }

    /// The name for messages.
    public var description: String { "the upstream proxy \"\(name)\"" }

    /// Whether two references are the same object.
    public static func == (left: UpstreamProxy, right: UpstreamProxy) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    // MARK: Authentication

    /// The value of `Proxy-Authorization` to send without a challenge: Digest once the proxy has
    /// asked for it, otherwise Basic; nil without credentials.
    func authorization(method: HTTPMethod, target: [UInt8]) -> [UInt8]? {
        guard let password else { return nil }
        let known = digest.withLock { session in
            session?.authorization(method: method, target: target, body: [])
        }
        return known ?? password.basicValue
    }

    /// Whether a request that was challenged (407) is worth another attempt: the proxy offers
    /// Digest, and the request was sent without it, or with a nonce that was too old.
    /// - Parameter sent: the credentials that the request had.
    func takesChallenge(_ head: ResponseHead, after sent: [UInt8]?) -> Bool {
        guard let password else { return false }
        let hadDigest = sent?.starts(with: "Digest ".utf8) ?? false
        let offers = HTTPChallenge.all(in: head.fields, named: "Proxy-Authenticate")
            .compactMap(DigestChallenge.init)
        guard let strongest = offers.max(by: { $0.strength < $1.strength }) else { return false }
        if hadDigest, !strongest.isStale {
            forgetDigest()
            return false
        }
        return digest.withLock { session in
            // Another request may have been challenged at the same time.
            if let session, !hadDigest, session.challenge.realm == strongest.realm { return true }
            session = DigestSession(
                strongest, user: password.user, password: password.password,
                clientNonce: DigestSession.randomNonce())
            return true
        }
    }

    /// Forgets how the proxy authenticates, after it has rejected the credentials.
    private func forgetDigest() { digest.withLock { $0 = nil } }
}
