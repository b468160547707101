internal import ProxydEventLoops
internal import Synchronization

/// The addresses at which this proxy can be reached; used to prevent requests from looping back to
/// it.
///
/// The resolved address is checked just before connecting: whatever name or spelling a client used,
/// this is the address that the kernel would connect to.
final class OwnAddresses: Sendable {
    private let listening = Mutex<Set<SocketAddress>>([])

    func insert(_ address: SocketAddress) {
        listening.withLock { _ = $0.insert(address) }
    }

    func remove(_ address: SocketAddress) {
        listening.withLock { _ = $0.remove(address) }
    }

    /// Whether connecting to an address would reach one of our listeners.
    func contains(_ address: SocketAddress) -> Bool {
        // Connecting to 0.0.0.0 or :: reaches the machine itself.
        let reachesLoopback = address.isLoopback || address.isUnspecified
        return listening.withLock { listening in
            listening.contains { own in
                guard own.port == address.port else { return false }
                if own == address { return true }
                if own.isUnspecified { return reachesLoopback || LocalInterfaces.has(address) }
                return address.isUnspecified && own.isLoopback
            }
        }
    }
}
