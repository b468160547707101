internal import ProxydEventLoops

/// The connections of a server. Confined to its loop.
final class WebConnections {
    let service: WebService
    private let loop: EventLoop
    private var listener: Listener?
    private var open: [ObjectIdentifier: WebConnection] = [:]
    private var acceptedCount: UInt64 = 0

    init(socket: ListeningSocket, loop: EventLoop, service: WebService) {
        self.loop = loop
        self.service = service
        listener = Listener(socket: socket, on: loop) { [weak self] in self?.accept($0) }
        listener?.start()
    }

    /// The number of connections that are event streams.
    var feedCount: Int { open.values.count { $0.isFeed } }

    private func accept(_ stream: SocketStream) {
        guard open.count < service.limits.connectionCountMax || closeOldestStranger() else {
            return stream.abort()
        }
        acceptedCount += 1
        let connection = WebConnection(stream, number: acceptedCount, connections: self)
        open[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    /// Closes the oldest connection that has not shown the token, so that no one without it keeps
    /// out who has it; returns false if there is none.
    private func closeOldestStranger() -> Bool {
        let strangers = open.values.filter { !$0.hasToken }
        guard let oldest = strangers.min(by: { $0.number < $1.number }) else { return false }
        oldest.end()
        return true
    }

    /// A connection has ended.
    func remove(_ connection: WebConnection) {
        open[ObjectIdentifier(connection)] = nil
    }

    /// Closes everything.
    func stop() {
        listener?.stop()
        listener = nil
        for connection in Array(open.values) { connection.end() }
    }
}
