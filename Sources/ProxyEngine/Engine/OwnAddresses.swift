internal import ProxydEventLoops
internal import Synchronization

/// The addresses at which this proxy can be reached; used to prevent requests from looping back to
/// it.
///
/// The resolved address is checked just before connecting: whatever name or spelling a client used,
/// this is the address that the kernel would connect to.
final class OwnAddresses: Sendable {
    private struct State {
        var listening: Set<SocketAddress> = []
        /// Addresses of our other programs, with how many of them guard each.
        var guarded: [SocketAddress: Int] = [:]
    }

    private let state = Mutex(State())

    /// Adds the address of a listener.
    func insert(_ address: SocketAddress) {
        state.withLock { _ = $0.listening.insert(address) }
    }

    /// Treats an address like one of our own, until `release` has been called as often.
    func guardAddress(_ address: SocketAddress) {
        state.withLock { $0.guarded[address, default: 0] += 1 }
    }

    /// Ends the effect of one call of `guardAddress`.
    func release(_ address: SocketAddress) {
        state.withLock { state in
            guard let count = state.guarded[address] else { return }
            state.guarded[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Whether connecting to an address would reach one of our listeners, or a guarded address.
    func contains(_ address: SocketAddress) -> Bool {
        state.withLock { state in
            state.listening.contains { OwnAddresses.reaches($0, address) }
                || state.guarded.keys.contains { OwnAddresses.reaches($0, address) }
        }
    }

    /// Whether connecting to an address reaches a listener on another one.
    private static func reaches(_ own: SocketAddress, _ address: SocketAddress) -> Bool {
        guard own.port == address.port else { return false }
        if own == address { return true }
        // Connecting to 0.0.0.0 or :: reaches the machine itself.
        let reachesLoopback = address.isLoopback || address.isUnspecified
        if own.isUnspecified { return reachesLoopback || LocalInterfaces.has(address) }
        return address.isUnspecified && own.isLoopback
    }
}
