internal import ProxydEventLoops

/// The connections of a server. Confined to its loop.
final class WebConnections {
    let service: WebService
    private let loop: EventLoop
    private var listener: Listener?
    private var open: [ObjectIdentifier: WebConnection] = [:]

    init(socket: ListeningSocket, loop: EventLoop, service: WebService) {
        self.loop = loop
        self.service = service
        listener = Listener(socket: socket, on: loop) { [weak self] in self?.accept($0) }
        listener?.start()
    }

    /// The number of connections that are event streams.
    var feedCount: Int { open.values.count { $0.isFeed } }

    private func accept(_ stream: SocketStream) {
        guard open.count < service.limits.connectionCountMax else { return stream.abort() }
        let connection = WebConnection(stream, connections: self)
        open[ObjectIdentifier(connection)] = connection
        connection.start()
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
