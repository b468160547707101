public import ProxydHTTPModel
internal import FoundationEssentials
internal import Synchronization

/// How a session authenticates: its credentials, and which servers and proxies accepted them.
public final class Authentication: Sendable {
    /// Supplies the credentials if a request has none of its own.
    public let credentials: any CredentialStore
    private let authenticator: Mutex<ChallengeAnswerer>

    /// Creates an authentication that takes credentials from a store. `makeClientNonce` returns the
    /// random client nonce of Digest; tests pass their own.
    public init(
        credentials: any CredentialStore = MemoryCredentialStore(),
        makeClientNonce: (@Sendable () -> String)? = nil
    ) {
        self.credentials = credentials
        authenticator = Mutex(
            makeClientNonce.map(ChallengeAnswerer.init(makeClientNonce:)) ?? ChallengeAnswerer())
    }

    /// The value of the credentials field to send before the server asks, or nil if the server is
    /// not known to accept any.
    public func authorization(
        for request: AuthenticatedRequest, attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        // The closure of the lock cannot borrow an inout parameter across isolation.
        var tried = attempts
        let value = authenticator.withLock { $0.authorization(for: request, attempts: &tried) }
        attempts = tried
        return value
    }

    /// The value of the credentials field for retrying after a response, for the strongest scheme
    /// that has a credential; the request's own credential takes precedence over the store's.
    /// Returns nil if the response does not ask for credentials or nothing is left to try; the
    /// response is then the final one.
    ///
    /// A request's own credential is only for the server that the request names: after a redirect
    /// to another server, the caller passes none.
    public func answer(
        to head: ResponseHead, for request: AuthenticatedRequest,
        credential: Credential? = nil, persistence: CredentialPersistence = .forSession,
        attempts: inout AuthenticationAttempts
    ) async -> [UInt8]? {
        for offer in AuthenticationOffer.all(in: head, to: request) {
            let stored = await credentials.credential(for: offer.space)
            guard let candidate = credential ?? stored, offer.takes(candidate) else { continue }
            let isOwn = credential != nil
            var tried = attempts
            let value = authenticator.withLock {
                $0.answer(
                    offer, with: candidate, for: request,
                    isKept: !isOwn || persistence == .forSession, attempts: &tried)
            }
            attempts = tried
            if isOwn, persistence == .forSession {
                // A credential that failed must not be tried again for other requests.
                if value != nil {
                    await credentials.setCredential(candidate, for: offer.space)
                } else if stored == candidate {
                    await credentials.setCredential(nil, for: offer.space)
                }
            }
            if let value { return value }
        }
        return nil
    }

    /// Takes a next nonce for later requests from a response, if it has one.
    public func note(_ head: ResponseHead, from request: AuthenticatedRequest) {
        authenticator.withLock { $0.note(head.fields, from: request) }
    }

    /// Forgets which servers accepted which credentials; the store keeps its credentials.
    public func reset() { authenticator.withLock { $0.removeAll() } }
}

/// What a client authenticates with. Descriptions contain no secrets.
public enum Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A name and a password, for Basic and Digest.
    case password(user: String, password: String)
    /// A token, for Bearer (RFC 6750).
    case bearer(token: String)

    public init(user: String, password: String) { self = .password(user: user, password: password) }

    /// The user name if there is one, but never the secret.
    public var description: String {
        switch self {
        case .password(let user, _): "Credential(user: \(user))"
        case .bearer: "Credential(bearer)"
        }
    }

    /// The same as `description`, because debugger output ends up in logs too.
    public var debugDescription: String { description }
}

public enum CredentialPersistence: Sendable, Hashable {
    /// For this request only.
    case none
    /// For the session: later requests to the same protection space use it too.
    case forSession
}

public protocol CredentialStore: Sendable {
    /// The credential for a space whose realm is known, or nil if there is none.
    func credential(for space: ProtectionSpace) async -> Credential?
    /// Stores a credential; nil removes the stored one.
    func setCredential(_ credential: Credential?, for space: ProtectionSpace) async
}

/// A credential store in memory, which is lost when the program ends.
public final class MemoryCredentialStore: CredentialStore {
    private let credentials: Mutex<[ProtectionSpace: Credential]>

    public init(_ credentials: [ProtectionSpace: Credential] = [:]) {
        self.credentials = Mutex(credentials)
    }

    /// The credential of the space, or the one stored for all realms of its server.
    public func credential(for space: ProtectionSpace) -> Credential? {
        credentials.withLock { $0[space] ?? $0[space.with(realm: nil)] }
    }

    public func setCredential(_ credential: Credential?, for space: ProtectionSpace) {
        credentials.withLock { $0[space] = credential }
    }
}

/// The realm of a server or proxy that a credential is for (RFC 9110 §11.5).
public struct ProtectionSpace: Sendable, Hashable {
    public let recipient: AuthenticationRecipient
    /// `http` or `https`; for a proxy, the scheme of the connection to it.
    public let scheme: String
    /// The host in lower case.
    public let host: String
    public let port: UInt16
    /// The realm, or nil for all realms.
    public let realm: String?

    public init(
        scheme: String, host: String, port: UInt16, realm: String? = nil,
        recipient: AuthenticationRecipient = .origin
    ) {
        self.recipient = recipient
        self.scheme = scheme
        self.host = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        self.port = port
        self.realm = realm
    }

    public init(_ url: RawURL, realm: String? = nil) {
        self.init(scheme: url.scheme, host: url.host, port: url.port, realm: realm)
    }

    func with(realm: String?) -> ProtectionSpace {
        ProtectionSpace(scheme: scheme, host: host, port: port, realm: realm, recipient: recipient)
    }
}

public enum AuthorizationHeader {
    /// `Basic` with name and password as UTF-8 in Base64 (RFC 7617 §2), or nil if the name contains
    /// a colon or either contains a control character, which Basic cannot represent.
    public static func basic(user: String, password: String) -> String? {
        guard !user.utf8.contains(UInt8(ascii: ":")), isPrintable(user), isPrintable(password)
        else { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// `Bearer` with a token (RFC 6750 §2.1), or nil if the token is not valid in a field.
    public static func bearer(token: String) -> String? {
        let isVisible = token.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
        return isVisible && !token.isEmpty ? "Bearer " + token : nil
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// The field that sends a name and a password without waiting for a challenge, or nil if Basic
/// cannot represent them (RFC 7617 §2).
public func authorizationHeader(user: String, password: String) -> (name: String, value: String)? {
    AuthorizationHeader.basic(user: user, password: password).map { ("Authorization", $0) }
}
