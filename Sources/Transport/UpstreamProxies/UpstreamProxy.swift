internal import ProxydHTTPModel
public import ProxydHTTPWire
internal import ProxydTLS
internal import FoundationEssentials
internal import Synchronization

/// A proxy through which servers are reached, and what is known about how it authenticates. Two
/// objects are never the same proxy, even with equal properties.
public final class UpstreamProxy: Sendable, Hashable, CustomStringConvertible {
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
    public let kind: Kind
    /// A name or an address, without brackets.
    public let host: String
    public let port: UInt16
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

    public var description: String { "the upstream proxy \"\(name)\"" }

    public static func == (left: UpstreamProxy, right: UpstreamProxy) -> Bool { left === right }

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

/// A name and a password for a proxy. Its descriptions do not contain the password.
public struct ProxyPassword: Sendable, Hashable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    public let user: String
    /// The password, in plain text.
    public let password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    public var description: String { "ProxyPassword(user: \(user))" }

    /// The same, because debug descriptions end up in logs too.
    public var debugDescription: String { description }

    /// The value of `Proxy-Authorization` (RFC 7617 §2); nil if the name has a colon or either has
    /// a control character, which Basic authentication cannot represent.
    var basicValue: [UInt8]? {
        let isPrintable = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPrintable, !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
        return Array("Basic ".utf8) + Data("\(user):\(password)".utf8).base64EncodedData()
    }
}

/// Failures of upstream proxies. Each message names the proxy and says whose fault it is; none
/// contains what the proxy wrote, except its status.
extension ExchangeFailure {
    /// The failure of a connection to the proxy itself.
    func meeting(_ proxy: UpstreamProxy) -> ExchangeFailure {
        ExchangeFailure(origin: origin, kind: kind, message: "\(proxy): \(message)")
    }

    /// The proxy refused a tunnel or a request.
    static func upstream(
        _ proxy: UpstreamProxy, refused head: ResponseHead, _ target: ConnectTarget?
    ) -> ExchangeFailure {
        let place = target.map { " a tunnel to \($0.authority)" } ?? " the request"
        if head.status == 508 {
            return ExchangeFailure(
                origin: .upstream, kind: .loop,
                message: "\(proxy) refused\(place) (508): the proxies form a loop")
        }
        guard head.status == 407 else {
            return ExchangeFailure(
                origin: .upstream, kind: .connectFailed,
                message: "\(proxy) refused\(place) (\(head.status)): the proxy decided this, "
                    + "not the server")
        }
        let schemes = HTTPChallenge.all(in: head.fields, named: "Proxy-Authenticate")
            .map { $0.scheme.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } }
        let offered = schemes.isEmpty ? "" : "; it offers " + schemes.joined(separator: ", ")
        let message =
            proxy.password == nil
            ? "asks for credentials (407), and the configuration has none for it"
            : "does not accept the configured user and password (407)"
        return ExchangeFailure(
            origin: .proxy, kind: .connectFailed, message: "\(proxy) \(message)\(offered)")
    }

    static func upstream(
        _ proxy: UpstreamProxy, _ error: ProxyHandshakeError, _ target: ConnectTarget
    ) -> ExchangeFailure {
        let reason =
            switch (error, proxy.kind) {
            case (.badDestination, .socks4a) where InternetAddress(target.host) != nil:
                "SOCKS 4 cannot reach this address; use socks5"
            default: "\(error)"
            }
        let origin: Origin =
            switch error {
            case .badDestination, .badCredential, .noAcceptableMethod, .authenticationFailed: .proxy
            default: .upstream
            }
        return ExchangeFailure(
            origin: origin, kind: .connectFailed,
            message: "\(proxy) did not connect to \(target.authority): \(reason)")
    }

    static func upstreamClosed(_ proxy: UpstreamProxy, _ target: ConnectTarget) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .connectFailed,
            message: "\(proxy) closed the connection before it had answered the request for "
                + "\(target.authority)")
    }

    static func upstreamSpoke(_ proxy: UpstreamProxy, _ target: ConnectTarget) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .connectFailed,
            message: "\(proxy) sent bytes as if from \(target.authority) before anything was "
                + "sent to it")
    }

    /// The proxy asked for other credentials when the body had been sent already.
    static func upstreamBodySent(_ proxy: UpstreamProxy) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .connectFailed,
            message: "\(proxy) asks for Digest credentials (407) after the request was sent, and "
                + "the body cannot be sent again; the next request will have them")
    }

    /// The request has passed through more proxies than a real chain has.
    static func chainTooLong(_ proxy: UpstreamProxy) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .loop,
            message: "the request came through \(HopCount.max) proxyd proxies, and \(proxy) "
                + "would be one more: they form a loop")
    }

    /// The configuration has no upstream proxy with this name.
    static func unknownUpstream(_ name: String) -> ExchangeFailure {
        ExchangeFailure(
            origin: .proxy, kind: .connectFailed,
            message: "the configuration has no upstream proxy \"\(name)\"")
    }
}
