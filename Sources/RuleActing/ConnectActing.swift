internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules
internal import ProxydTransport

/// Tells the engine what rules say of a connection.
enum ConnectActing {
    static func decide(_ connected: ConnectDecision, _ decision: Decision<ConnectVerdict>) {
        switch connected.block {
        case .status(let status)?:
            decision.make(.answer(ExchangeAnswer(RuleAnswer(status: status))))
        case .close?: decision.make(.end(.close, because: .blocked(connected.notes)))
        case .reset?: decision.make(.end(.reset, because: .blocked(connected.notes)))
        case .hang?: break  // Never decided: the client waits until it leaves.
        case nil: decision.make(.pass(route: connected.route))
        }
    }
}

extension ConnectDecision {
    /// The route over the address that rules name; the port stays.
    fileprivate var route: ConnectRoute? {
        address.flatMap { SocketAddress(ip: $0, port: 0) }.map { ConnectRoute(address: $0) }
    }
}
