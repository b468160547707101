public import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// The check whether a request may use a listener, which may take a while. Confined to its loop.
final class Admission {
    enum Outcome {
        /// The request is one of this user.
        case admitted(String)
        case refused(AccessRefusal)
    }

    /// The result; nil while the check runs.
    private(set) var outcome: Outcome?
    /// Called once when a check that took a while is done.
    var whenDecided: ((Outcome) -> Void)?

    /// The verdict as it comes, on any thread.
    private struct Arrival {
        var verdict: CredentialVerdict?
        /// Whether whoever asked has left with nothing.
        var isAwaited = false
    }

    init(
        of credentials: ClientCredentials?, on connection: ClientConnection,
        by authenticator: any ClientAuthenticator, loop: EventLoop
    ) {
        guard let credentials else {
            outcome = .refused(.missing)
            return
        }
        let name = credentials.name
        let arrived = ArrivedVerdict()
        let bound = LoopBound(WeakAdmission(self), loop: loop)
        authenticator.check(
            credentials, of: connection.judgedPeer, at: connection.listenerName
        ) { verdict in
            guard arrived.put(verdict) else { return }
            loop.execute { bound.value.admission?.decide(verdict, name) }
        }
        if let verdict = arrived.takeOrAwait() { outcome = Admission.outcome(verdict, name) }
    }

    private func decide(_ verdict: CredentialVerdict, _ name: String) {
        let outcome = Admission.outcome(verdict, name)
        self.outcome = outcome
        let whenDecided = whenDecided
        self.whenDecided = nil
        whenDecided?(outcome)
    }

    private static func outcome(_ verdict: CredentialVerdict, _ name: String) -> Outcome {
        switch verdict {
        case .accepted: .admitted(name)
        case .rejected: .refused(.wrong)
        case .tooMany: .refused(.tooMany)
        }
    }

    private struct WeakAdmission {
        weak var admission: Admission?
        init(_ admission: Admission) { self.admission = admission }
    }

    /// A verdict that comes within the call that asks for it, or later on any thread.
    private final class ArrivedVerdict: Sendable {
        private let arrival = Mutex(Arrival())

        /// Puts the verdict; returns whether it is awaited, because the call has ended.
        func put(_ verdict: CredentialVerdict) -> Bool {
            arrival.withLock { arrival in
                arrival.verdict = verdict
                return arrival.isAwaited
            }
        }

        /// The verdict if it is there; otherwise it is awaited from now on.
        func takeOrAwait() -> CredentialVerdict? {
            arrival.withLock { arrival in
                arrival.isAwaited = arrival.verdict == nil
                return arrival.verdict
            }
        }
    }
}

extension InboundDestination {
    /// The URL that a request names; nil for one of the proxy's own pages.
    func url(of head: RequestHead) -> RawURL? {
        switch try? EffectiveTarget.resolve(head, via: receiver) {
        case .forward(let url): url
        case .tunnel(let host, let port): .tunnel(host: host, port: port)
        case .proxyItself, nil: nil
        }
    }
}

/// Which requests must name a user. Confined to its loop.
final class UserAccess {
    /// Decides which users may use a listener; nil if clients need not authenticate.
    private let authenticator: (any ClientAuthenticator)?
    /// Whether any listener may need users: looked at for each request.
    private let hasUsers: Bool

    init(_ authenticator: (any ClientAuthenticator)?) {
        self.authenticator = authenticator
        hasUsers = authenticator != nil
    }

    /// Whether requests that come over a connection must name a user. Those to one server, in a
    /// tunnel or at a listener that takes its place, need not: the client authenticated before, or
    /// Proxy-Authorization is not for this proxy.
    func needsUser(_ connection: ClientConnection, to destination: InboundDestination) -> Bool {
        guard let authenticator, case .proxy = destination else { return false }
        return authenticator.isRequired(by: connection.listenerName)
    }

    /// Starts the check of a request's user; nil if requests need none.
    func admission(
        of head: borrowing RequestHead, on connection: ClientConnection,
        to destination: InboundDestination
    ) -> Admission? {
        guard hasUsers, let authenticator, needsUser(connection, to: destination) else {
            return nil
        }
        return Admission(
            of: ClientCredentials(proxyAuthorizationOf: head), on: connection, by: authenticator,
            loop: connection.loop)
    }
}

/// Why a request is not served: its client has to authenticate.
enum AccessRefusal: Sendable, Hashable {
    /// It has no name and password that can be read.
    case missing
    case wrong
    /// Too many passwords are being checked.
    case tooMany

    var failure: ExchangeFailure {
        let message =
            switch self {
            case .missing: "the listener needs a user name and a password, and there were none"
            case .wrong: "the user name or the password is wrong"
            case .tooMany: "too many passwords of this client are being checked"
            }
        return ExchangeFailure(origin: .client, kind: .refused, message: message)
    }

    /// The answer (RFC 9110 §15.5.8, §11.7.1).
    var answer: LocalResponse {
        var response = LocalResponse(
            status: 407, reason: "Proxy Authentication Required",
            text: "proxyd: \(failure.message)")
        response.fields = [("Proxy-Authenticate", #"Basic realm="proxyd", charset="UTF-8""#)]
        return response
    }
}

/// Decides which users may use a listener. Called on event loops, so it must not block.
public protocol ClientAuthenticator: Sendable {
    /// Whether the clients of a listener, which is identified by its name, must authenticate.
    func isRequired(by listener: String) -> Bool

    /// Checks a name and a password, which may take a tenth of a second.
    /// - Parameter completion: called once, from within this call if the answer is known, and
    ///   otherwise later on any thread.
    func check(
        _ credentials: ClientCredentials, of client: SocketAddress, at listener: String,
        completion: @escaping @Sendable (CredentialVerdict) -> Void)
}

/// The answer to a name and a password.
public enum CredentialVerdict: Sendable, Hashable {
    case accepted
    case rejected
    /// Nothing was checked: too many wrong passwords came, or too many are being checked.
    case tooMany
}
