internal import ProxydDaemonConfiguration
internal import ProxydTLS
internal import Synchronization

/// Whether TLS to a host is intercepted: as configured, unless the host has been switched since the
/// start. Hosts outside the authority's scope are never intercepted, because no certificate for
/// them would be accepted.
final class InterceptionSwitch: Sendable {
    private struct State {
        var tls: Configuration.TLS
        /// Hosts that were switched, in lower case.
        var switched: [String: Bool] = [:]
    }

    /// More hosts than a user would switch manually.
    private static let countMax = 1_000

    private let scope: AuthorityScope
    private let state: Mutex<State>

    init(_ tls: Configuration.TLS, _ scope: AuthorityScope) {
        self.scope = scope
        state = Mutex(State(tls: tls))
    }

    /// Uses another configuration; switched hosts stay switched.
    func use(_ tls: Configuration.TLS) { state.withLock { $0.tls = tls } }

    /// Whether TLS to a host and port is intercepted.
    subscript(_ host: String, _ port: UInt16) -> Bool {
        guard scope.permits(host) else { return false }
        return state.withLock { state in
            state.switched[host.lowercased()] ?? state.tls.intercepts(host: host, port: port)
        }
    }

    /// Why a host was not switched, as a message for users.
    struct Refusal: Error, Hashable {
        let message: String
    }

    /// Switches a host on or off for its next connections; returns whether it is now intercepted.
    func toggle(_ host: String, _ port: UInt16) throws(Refusal) -> Bool {
        guard scope.permits(host) else {
            throw Refusal(
                message: "the CA is not permitted to issue certificates for \(host): "
                    + "its TLS is not intercepted")
        }
        let name = host.lowercased()
        let isNow: Bool? = state.withLock { state in
            let isIntercepted =
                state.switched[name] ?? state.tls.intercepts(host: host, port: port)
            guard
                state.switched[name] != nil
                    || state.switched.count < InterceptionSwitch.countMax
            else { return nil }
            state.switched[name] = !isIntercepted
            return !isIntercepted
        }
        guard let isNow else {
            throw Refusal(
                message: "\(InterceptionSwitch.countMax) hosts have been switched since proxyd "
                    + "started; restart it to switch others")
        }
        return isNow
    }

    /// The hosts that were switched, by name, and whether they are intercepted.
    var switched: [(host: String, isIntercepted: Bool)] {
        state.withLock { $0.switched }.sorted { $0.key < $1.key }
            .map { (host: $0.key, isIntercepted: $0.value) }
    }
}
