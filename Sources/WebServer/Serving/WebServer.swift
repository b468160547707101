public import ProxydEventLoops
internal import ProxydSystem
internal import Synchronization

/// An HTTP/1.1 server for the pages and interfaces of this product: one event loop for its
/// connections, and a few threads for the handlers, which may block.
public final class WebServer: Sendable {
    /// The address that the server listens on.
    public let address: SocketAddress
    private let group: EventLoopGroup
    private let service: WebService
    private let connections: Mutex<LoopBound<WebConnections>?>

    /// Starts serving.
    /// - Parameters:
    ///   - socket: The listening socket.
    ///   - site: What is served, and to whom.
    public init(
        socket: ListeningSocket, site: WebSite, limits: WebLimits = WebLimits()
    ) throws(StreamError) {
        address = socket.localAddress
        group = try EventLoopGroup(count: 1)
        let workers = WebWorkers(waitingCountMax: limits.waitingRequestCountMax)
        guard workers.start(count: limits.workerCount) else {
            group.shutdown()
            throw StreamError(
                kind: .exhausted, message: "the system refuses to start a thread (see ulimit -u)",
                errorNumber: 11)
        }
        let service = WebService(site: site, limits: limits, workers: workers)
        self.service = service
        connections = Mutex(nil)
        let loop = group.loops[0]
        loop.execute { [self] in
            let made = WebConnections(socket: socket, loop: loop, service: service)
            connections.withLock { $0 = LoopBound(made, loop: loop) }
        }
    }

    /// Closes all connections and ends the threads.
    public func stop() {
        service.workers.stop()
        let isStopped = Semaphore()
        group.loops[0].execute { [self] in
            connections.withLock { bound in
                bound?.value.stop()
                bound = nil
            }
            isStopped.signal()
        }
        isStopped.wait()
        group.shutdown()
    }
}

/// What a server serves, and to whom.
public struct WebSite: Sendable {
    /// Who may use the server.
    public let access: WebAccess
    /// The first path segments of resources that need the token.
    public let protectedSegments: Set<String>
    /// The routes.
    public let router: WebRouter
    /// Header fields of every response, such as a content security policy.
    public let fields: [(name: String, value: String)]

    /// Creates a site.
    public init(
        access: WebAccess, protectedSegments: Set<String>, router: WebRouter,
        fields: [(name: String, value: String)] = []
    ) {
        self.access = access
        self.protectedSegments = protectedSegments
        self.router = router
        self.fields = fields
    }
}

/// What all connections of a server share.
struct WebService: Sendable {
    let site: WebSite
    let limits: WebLimits
    let workers: WebWorkers
}
