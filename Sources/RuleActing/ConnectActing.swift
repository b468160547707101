internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules
internal import ProxydTransport

/// Tells the engine what rules say of a connection.
enum ConnectActing {
    static func decide(
        _ connected: ConnectDecision, port: UInt16, _ decision: Decision<ConnectVerdict>
    ) {
        switch connected.block {
        case .status(let status)?:
            decision.make(.answer(ExchangeAnswer(RuleAnswer(status: status))))
        case .close?: decision.make(.end(.close, because: .blocked(connected.notes)))
        case .reset?: decision.make(.end(.reset, because: .blocked(connected.notes)))
        case .hang?: break  // Never decided: the client waits until it leaves.
        case nil: decision.make(.pass(route: connected.route(port: port)))
        }
    }
}

extension ConnectDecision {
    /// The route over the address that rules name; the port stays.
    fileprivate func route(port: UInt16) -> ConnectRoute? {
        address.flatMap { SocketAddress(ip: $0, port: port) }.map { ConnectRoute(address: $0) }
    }
}
