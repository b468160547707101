public import ProxydEventLoops
internal import Synchronization

/// The daemon's side of the control socket, on one event loop.
///
/// Its members may be called on any thread; all work happens on the loop.
public final class ControlServer: Sendable {
    private let loop: EventLoop
    private let dataDirectory: String
    private let sessions: Mutex<LoopBound<ControlSessions>?>

    /// Creates the socket in the data directory and starts serving it. The caller holds the store's
    /// lock, so a socket without a listener there is stale.
    public init(
        dataDirectory: String, on loop: EventLoop, handler: any ControlHandler
    ) throws(ControlError) {
        let descriptor = try ControlSocket.listen(inDirectory: dataDirectory)
        let socket: ListeningSocket
        do {
            socket = try ListeningSocket(adopting: descriptor)
        } catch {
            throw ControlError(.system, "control socket: \(error.message)")
        }
        self.loop = loop
        self.dataDirectory = dataDirectory
        sessions = Mutex(nil)
        loop.execute {
            let sessions = ControlSessions(socket: socket, loop: loop, handler: handler)
            self.sessions.withLock { $0 = LoopBound(sessions, loop: loop) }
        }
    }

    /// Sends an event to all clients that take holds. The limit on waiting bytes applies here too.
    public func publish(toHolders event: ControlEvent) {
        onLoop { $0.publish(event, to: \.holdSubscription) }
    }

    /// Sends an event to every subscriber. One that is too slow is dropped, so that no other waits
    /// for it.
    public func publish(_ event: ControlEvent) {
        onLoop { $0.publish(event, to: \.subscription) }
    }

    /// Closes all connections and removes the socket.
    public func stop() {
        ControlSocket.remove(inDirectory: dataDirectory)
        onLoop { $0.stop() }
    }

    private func onLoop(_ body: @escaping @Sendable (ControlSessions) -> Void) {
        loop.execute {
            guard let sessions = self.sessions.withLock({ $0 }) else { return }
            body(sessions.value)
        }
    }
}
