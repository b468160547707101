import ProxydEventLoops
import ProxydHTTPModel
import ProxydTransport
import Synchronization

@testable import ProxydProxyEngine

/// What became of a client of a SOCKS listener.
struct SOCKSOutcome: Sendable {
    /// What the client got.
    let client: [UInt8]
    let clientEnding: ScriptedStream.Ending?
    /// What the servers got.
    let servers: [String]
    /// The servers that were connected to.
    let targets: [String]
    let rows: [RecordingSink.Recorded]
    let connections: [ConnectionRecord]
}

extension Playbook {
    static let socks = ServedListener(name: "s", mode: .socks)
    /// A handshake without a password, and a request for h:80.
    static let socksHandshake: [UInt8] = [5, 1, 0, 5, 1, 0, 3, 1, 0x68, 0, 80]
    /// What a client of SOCKS 5 gets if all goes well.
    static let socksEstablished: [UInt8] = [5, 0] + SOCKSReply.v5(0)

    var socksOutcome: SOCKSOutcome {
        SOCKSOutcome(
            client: client.written, clientEnding: client.ending,
            servers: servers.map { WireOutcome.text($0.written) },
            targets: connector.targets.map { target in
                (target.host.contains(":") ? "[\(target.host)]" : target.host) + ":\(target.port)"
            },
            rows: sink.rows, connections: sink.connections)
    }
}

/// Decides about users as a test says.
final class ScriptedAuthenticator: ClientAuthenticator {
    private struct State {
        var verdict: CredentialVerdict?
        var asked: [ClientCredentials] = []
        var clients: [SocketAddress] = []
        var waiting: [@Sendable (CredentialVerdict) -> Void] = []
    }
    private let state: Mutex<State>

    /// Without a verdict, the answer waits for `answer`.
    init(_ verdict: CredentialVerdict? = nil) { state = Mutex(State(verdict: verdict)) }

    var asked: [ClientCredentials] { state.withLock { $0.asked } }
    /// Whose attempts were counted.
    var clients: [String] { state.withLock { $0.clients.map(\.description) } }

    func isRequired(by listener: String) -> Bool { listener == Playbook.socks.name }

    func check(
        _ credentials: ClientCredentials, of client: SocketAddress, at listener: String,
        completion: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        let verdict = state.withLock { state in
            state.asked.append(credentials)
            state.clients.append(client)
            if state.verdict == nil { state.waiting.append(completion) }
            return state.verdict
        }
        if let verdict { completion(verdict) }
    }

    func answer(_ verdict: CredentialVerdict) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(verdict) }
    }
}

/// Knows the user alice with the password secret.
final class OneUser: ClientAuthenticator {
    static let listener = "office"

    func isRequired(by listener: String) -> Bool { listener == OneUser.listener }

    func check(
        _ credentials: ClientCredentials, of client: SocketAddress, at listener: String,
        completion: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        let isRight =
            credentials.name == "alice" && credentials.password == Array("secret".utf8)
        completion(isRight ? .accepted : .rejected)
    }
}
