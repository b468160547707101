public import ProxydEventLoops
internal import ProxydSystem
internal import Synchronization

/// An HTTP/1.1 server for the pages and interfaces of this product: one event loop for its
/// connections, and a few threads for the handlers, which may block.
public final class WebServer: Sendable {
    public let address: SocketAddress
    private let group: EventLoopGroup
    private let service: WebService
    private let connections: Mutex<LoopBound<WebConnections>?>

    /// Starts serving.
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
    public let access: WebAccess
    /// The first path segments of resources that need the token.
    public let protectedSegments: Set<String>
    public let router: WebRouter
    /// Header fields of every response, such as a content security policy.
    public let fields: [(name: String, value: String)]

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

public struct WebLimits: Sendable, Hashable {
    /// The maximum size of a request body in bytes; larger ones are answered 413. Only requests
    /// with the token, below a protected path, may have a body.
    public var bodyByteCountMax = 16 << 20
    /// The maximum number of connections. For a further one, the oldest that has not shown the
    /// token is closed; if all have, the new one is.
    public var connectionCountMax = 256
    /// The maximum number of open event streams; further ones are answered 429.
    public var feedCountMax = 32
    public var workerCount = 4
    /// The maximum number of requests that wait for a thread; further ones are answered 429.
    public var waitingRequestCountMax = 64
    /// The most nanoseconds to receive a head, and for a client without the token to begin one.
    public var headNsMax: Int64 = 10_000_000_000
    /// The maximum time for receiving a body, and between requests, in nanoseconds.
    public var requestNsMax: Int64 = 60_000_000_000
    /// The maximum time in which a client reads nothing of a body sent in pieces, in nanoseconds.
    public var stallNsMax: Int64 = 30_000_000_000
    /// The time between two comments that keep an event stream open, in nanoseconds.
    public var keepAliveNs: Int64 = 15_000_000_000

    public init() {}
}

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

    /// Closes the oldest connection that has not shown the token, so that clients without it cannot
    /// lock out others; returns false if there is none.
    private func closeOldestStranger() -> Bool {
        let strangers = open.values.filter { !$0.hasToken }
        guard let oldest = strangers.min(by: { $0.number < $1.number }) else { return false }
        oldest.end()
        return true
    }

    func remove(_ connection: WebConnection) { open[ObjectIdentifier(connection)] = nil }

    func stop() {
        listener?.stop()
        listener = nil
        for connection in Array(open.values) { connection.end() }
    }
}

/// A few threads that run handlers, because handlers block on the store.
final class WebWorkers: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private static let stackByteCount = 2 << 20

    private let state = Mutex(State())
    private let isReady = Semaphore()
    private let waitingCountMax: Int

    init(waitingCountMax: Int) { self.waitingCountMax = waitingCountMax }

    /// Starts threads; returns whether the system allowed at least one.
    func start(count: Int) -> Bool {
        (0..<count).reduce(false) { isAny, _ in
            startDetachedThread(stackByteCount: WebWorkers.stackByteCount) { self.run() } || isAny
        }
    }

    /// Runs a closure on one of the threads; returns false if too many are waiting.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isStopped, state.waiting.count < waitingCountMax else { return false }
            state.waiting.append(work)
            return true
        }
        if isTaken { isReady.signal() }
        return isTaken
    }

    /// Ends each thread after its current work; what is waiting is dropped.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.waiting = []
        }
        isReady.signal()
    }

    private func run() {
        while true {
            isReady.wait()
            let (work, isStopped) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isStopped)
            }
            if isStopped {
                // The next thread is woken in turn.
                isReady.signal()
                return
            }
            work?()
        }
    }
}
