public import ProxydEventLoops
public import ProxydHTTPModel
internal import Synchronization
public import ProxydTLS
public import ProxydTransport

/// The proxy: listeners, one worker per event loop, and their common life.
///
/// It knows nothing of a store: what passes goes to an `ExchangeSink`.
public final class ProxyEngine: Sendable {
    /// What the engine is built of.
    public struct Parts: Sendable {
        /// The loops that serve.
        public var group: EventLoopGroup
        /// Where exchanges are recorded.
        public var sink: any ExchangeSink
        /// Mints certificates for intercepted servers.
        public var leaves: LeafCertificateCache
        /// The authority that clients are asked to trust.
        public var authority: CertificateAuthority
        /// Verifies servers.
        public var clientContext: TLSClientContext
        /// Looks names up.
        public var resolver: Resolver
        /// Finds out who local clients are; nil for nobody.
        public var identifier: (any ClientIdentifier)?
        /// Acts on what passes; nil for nothing.
        public var actor: (any TrafficActor)?
        /// Bounds and timeouts of the outbound side.
        public var transport: HTTPTransport.Options

        /// The parts of an engine.
        public init(
            group: EventLoopGroup, sink: any ExchangeSink, leaves: LeafCertificateCache,
            authority: CertificateAuthority, clientContext: TLSClientContext, resolver: Resolver,
            identifier: (any ClientIdentifier)? = nil, actor: (any TrafficActor)? = nil,
            transport: HTTPTransport.Options = HTTPTransport.Options()
        ) {
            self.group = group
            self.sink = sink
            self.leaves = leaves
            self.authority = authority
            self.clientContext = clientContext
            self.resolver = resolver
            self.identifier = identifier
            self.actor = actor
            self.transport = transport
        }
    }

    private let parts: Parts
    private let workers: [LoopWorker]
    private let ownAddresses: OwnAddresses

    /// One loop and what runs on it; the worker is made and used on its loop only.
    private final class LoopWorker: Sendable {
        let loop: EventLoop
        private let bound = Mutex<LoopBound<ProxyWorker>?>(nil)
        private let listeners = Mutex<[LoopBound<Listener>]>([])

        init(loop: EventLoop) { self.loop = loop }

        func set(_ worker: LoopBound<ProxyWorker>) { bound.withLock { $0 = worker } }

        /// Runs work with the worker, on its loop, in the order given.
        func run(_ body: @escaping @Sendable (ProxyWorker) -> Void) {
            loop.execute {
                if let worker = self.bound.withLock({ $0 }) { body(worker.value) }
            }
        }

        /// Whether the configuration in force forbids to connect to an address. On its loop only.
        func isDenied(_ address: SocketAddress) -> Bool {
            bound.withLock { $0 }?.value.configuration.isTargetDenied(address) ?? false
        }

        func add(_ listener: LoopBound<Listener>) { listeners.withLock { $0.append(listener) } }

        /// A client has left: those who wait in the kernel need not wait for the next attempt, too.
        /// On its loop only.
        func resumeListeners() {
            for listener in listeners.withLock({ $0 }) { listener.value.resume() }
        }

        func takeListeners() -> [LoopBound<Listener>] {
            listeners.withLock { listeners in
                defer { listeners = [] }
                return listeners
            }
        }
    }

    /// Builds the engine; it serves from the first `serve` on.
    public init(parts: Parts, configuration: EngineConfiguration) {
        self.parts = parts
        ownAddresses = OwnAddresses()
        workers = parts.group.loops.map(LoopWorker.init)
        let pages = InfoPages(
            certificatePEM: parts.authority.certificatePEM,
            certificateDER: parts.authority.certificateDER,
            fingerprint: parts.authority.certificate.fingerprintText)
        let total = ClientTotal()
        for worker in workers {
            let loop = worker.loop
            loop.execute { [parts, ownAddresses, workers] in
                let connector = Connector(
                    loop: loop, resolver: parts.resolver, tls: parts.clientContext,
                    limits: parts.transport.connectLimits,
                    permission: { [unowned worker] in
                        if ownAddresses.contains($0) { return .ownAddress }
                        return worker.isDenied($0) ? .denied : .granted
                    })
                let transport = HTTPTransport(
                    loop: loop, connector: connector, options: parts.transport)
                transport.onExhausted = {
                    for other in workers where other !== worker {
                        other.run { $0.transport.abortIdle() }
                    }
                }
                worker.set(
                    LoopBound(
                        ProxyWorker(
                            loop: loop, sink: parts.sink, transport: transport,
                            leaves: parts.leaves, http: HTTPLayers(), pages: pages,
                            configuration: configuration,
                            identifier: parts.identifier, actor: parts.actor, total: total),
                        loop: loop))
            }
        }
    }

    /// Serves a listening socket on every loop. The address joins those that the proxy refuses to
    /// connect to.
    /// - Parameters:
    ///   - name: tells the listener from others where the configuration is asked.
    ///   - mode: what its clients find.
    public func serve(
        _ socket: ListeningSocket, name: String = "", mode: ListenerMode = .proxy
    ) {
        ownAddresses.insert(socket.localAddress)
        for worker in workers {
            worker.run { proxy in
                let listener = Listener(socket: socket, on: proxy.loop) { [unowned proxy] in
                    proxy.accept($0, listener: name, mode: mode)
                }
                listener.onPause = { [unowned proxy] _ in proxy.freeDescriptors() }
                proxy.clients.onRoom = { [weak worker] in worker?.resumeListeners() }
                listener.start()
                worker.add(LoopBound(listener, loop: proxy.loop))
            }
        }
    }

    /// Puts a new configuration in force for what comes from now on.
    public func reload(
        _ configuration: EngineConfiguration, transport: HTTPTransport.Options,
        clientContext: TLSClientContext
    ) {
        for worker in workers {
            worker.run { proxy in
                proxy.configuration = configuration
                proxy.transport.reconfigure(transport, clientContext: clientContext)
            }
        }
    }

    /// Counts the open connections of both sides and calls back on some thread.
    public func countConnections(
        completion: @escaping @Sendable (_ clients: Int, _ servers: Int) -> Void
    ) {
        let sums = ConnectionSums(workerCount: workers.count, completion: completion)
        for worker in workers {
            worker.run {
                sums.add(clients: $0.clients.count, servers: $0.transport.connectionCount)
            }
        }
    }

    /// Stops accepting, lets what runs go on for the time to drain, then ends it. Calls back on
    /// some thread when every connection is closed.
    public func stop(drainNs: Int64, completion: @escaping @Sendable () -> Void) {
        parts.actor?.drain()
        let counter = SharedCounter(workers.count, onZero: completion)
        for worker in workers {
            worker.run { proxy in
                for listener in worker.takeListeners() { listener.value.stop() }
                proxy.drain(forNs: drainNs) { counter.decrement() }
            }
        }
    }

    /// Ends everything that still runs.
    public func terminate() {
        for worker in workers { worker.run { $0.clients.terminateAll() } }
    }
}
