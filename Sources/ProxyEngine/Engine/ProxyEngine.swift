public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydTLS
public import ProxydTransport
internal import Synchronization

/// The proxy: its listeners, one `LoopProxy` per event loop, and their shared lifecycle.
///
/// It does not depend on the capture store: traffic is reported to an `ExchangeSink`.
public final class ProxyEngine: Sendable {
    /// The dependencies of an engine.
    public struct Parts: Sendable {
        public var group: EventLoopGroup
        public var sink: any ExchangeSink
        public var leaves: LeafCertificateCache
        public var authority: CertificateAuthority
        /// The TLS context that verifies servers.
        public var clientContext: TLSClientContext
        public var resolver: Resolver
        /// Finds out which programs local clients are; nil to identify none.
        public var identifier: (any ClientIdentifier)?
        public var actor: (any TrafficActor)?
        /// Decides which users may use a listener; nil if clients need not authenticate.
        public var authenticator: (any ClientAuthenticator)?
        public var transport: HTTPTransport.Options

        public init(
            group: EventLoopGroup, sink: any ExchangeSink, leaves: LeafCertificateCache,
            authority: CertificateAuthority, clientContext: TLSClientContext, resolver: Resolver,
            identifier: (any ClientIdentifier)? = nil, actor: (any TrafficActor)? = nil,
            authenticator: (any ClientAuthenticator)? = nil,
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
            self.authenticator = authenticator
            self.transport = transport
        }
    }

    private let parts: Parts
    private let loops: [EngineLoop]
    private let ownAddresses: OwnAddresses
    private let redirections: Redirections

    /// One loop and what runs on it; the `LoopProxy` is created and used only on its loop.
    private final class EngineLoop: Sendable {
        let loop: EventLoop
        private let bound = Mutex<LoopBound<LoopProxy>?>(nil)
        private let listeners = Mutex<[LoopBound<Listener>]>([])

        init(loop: EventLoop) { self.loop = loop }

        func set(_ proxy: LoopBound<LoopProxy>) { bound.withLock { $0 = proxy } }

        /// Runs a closure with the `LoopProxy`, on its loop; closures run in the order of calls.
        func run(_ body: @escaping @Sendable (LoopProxy) -> Void) {
            loop.execute {
                if let proxy = self.bound.withLock({ $0 }) { body(proxy.value) }
            }
        }

        /// Releases the `LoopProxy`, on its loop.
        func release() {
            loop.execute { [self] in
                // Outside the lock: what is released may ask for the `LoopProxy`.
                _ = bound.withLock { $0.take() }
            }
        }

        /// Whether the current configuration forbids connecting to an address. Only on its loop.
        func isDenied(_ address: SocketAddress) -> Bool {
            bound.withLock { $0 }?.value.settings.configuration.isTargetDenied(address) ?? false
        }

        func add(_ listener: LoopBound<Listener>) { listeners.withLock { $0.append(listener) } }

        /// A client has left: connections that wait in the kernel can be accepted without waiting
        /// for the next retry. Only on its loop.
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

    /// Creates the engine; it accepts clients from the first call of `serve`.
    public init(parts: Parts, configuration: EngineConfiguration) {
        self.parts = parts
        ownAddresses = OwnAddresses()
        redirections = Redirections(ownAddresses: ownAddresses)
        loops = parts.group.loops.map(EngineLoop.init)
        let pages = InfoPages(
            certificatePEM: parts.authority.certificatePEM,
            certificateDER: parts.authority.certificateDER,
            fingerprint: parts.authority.certificate.fingerprintText)
        let total = ClientTotal()
        for engineLoop in loops {
            let loop = engineLoop.loop
            loop.execute { [parts, ownAddresses, redirections, loops] in
                let connector = Connector(
                    loop: loop, resolver: parts.resolver, tls: parts.clientContext,
                    limits: parts.transport.connectLimits,
                    permission: { [unowned engineLoop] in
                        if ownAddresses.contains($0) { return .ownAddress }
                        return engineLoop.isDenied($0) ? .denied : .granted
                    })
                connector.onAttempt = { [unowned loop] attempt, address in
                    redirections.note(from: attempt.localAddress, to: address, at: loop.now)
                }
                let transport = HTTPTransport(
                    loop: loop, connector: connector, options: parts.transport)
                transport.onExhausted = {
                    for other in loops where other !== engineLoop {
                        other.run { $0.transport.abortIdle() }
                    }
                }
                engineLoop.set(
                    LoopBound(
                        LoopProxy(
                            loop: loop, sink: parts.sink, transport: transport,
                            leaves: parts.leaves, pages: pages, configuration: configuration,
                            identifier: parts.identifier, actor: parts.actor,
                            authenticator: parts.authenticator,
                            redirections: redirections, total: total),
                        loop: loop))
            }
        }
    }

    /// Refuses to connect to an address of another of our programs, as to the proxy's own.
    public func guardAddress(_ address: SocketAddress) { ownAddresses.guardAddress(address) }

    /// Ends the effect of one call of `guardAddress`.
    public func releaseAddress(_ address: SocketAddress) { ownAddresses.release(address) }

    /// Accepts clients of a socket on every loop. The proxy refuses to connect to its address.
    public func serve(_ socket: ListeningSocket, as served: ServedListener = ServedListener()) {
        ownAddresses.insert(socket.localAddress)
        let isTransparent = served.mode.isTransparent
        if isTransparent { redirections.watch() }
        for loop in loops {
            loop.run { proxy in
                let listener = Listener(socket: socket, on: proxy.loop) { [unowned proxy] in
                    proxy.accept(
                        $0, at: served,
                        redirectedFrom: isTransparent ? $0.originalDestination : nil)
                }
                listener.onPause = { [unowned proxy] _ in proxy.freeDescriptors() }
                proxy.clients.onRoom = { [weak loop] in loop?.resumeListeners() }
                listener.start()
                loop.add(LoopBound(listener, loop: proxy.loop))
            }
        }
    }

    /// Replaces the configuration; it applies to new connections and requests.
    public func reload(
        _ configuration: EngineConfiguration, transport: HTTPTransport.Options,
        clientContext: TLSClientContext
    ) {
        for loop in loops {
            loop.run { proxy in
                proxy.settings.configuration = configuration
                proxy.transport.reconfigure(transport, clientContext: clientContext)
            }
        }
    }

    /// Counts the open connections of both sides; calls back on an unspecified thread.
    public func countConnections(
        completion: @escaping @Sendable (_ clients: Int, _ servers: Int) -> Void
    ) {
        let sums = ConnectionSums(loopCount: loops.count, completion: completion)
        for loop in loops {
            loop.run {
                sums.add(clients: $0.clients.count, servers: $0.transport.connectionCount)
            }
        }
    }

    /// Calls back, on an unspecified thread, when every loop has finished what it is doing now:
    /// whatever has ended for clients has been recorded then.
    public func finishTurns(completion: @escaping @Sendable () -> Void) {
        let counter = SharedCounter(loops.count, onZero: completion)
        for loop in loops { loop.run { _ in counter.decrement() } }
    }

    /// Stops accepting, lets running exchanges go on until the drain timeout, then ends them. Calls
    /// back on an unspecified thread when every connection is closed.
    public func stop(drainNs: Int64, completion: @escaping @Sendable () -> Void) {
        parts.actor?.drain()
        let counter = SharedCounter(loops.count, onZero: completion)
        for loop in loops {
            loop.run { proxy in
                for listener in loop.takeListeners() { listener.value.stop() }
                proxy.drain(forNs: drainNs) { counter.decrement() }
            }
        }
    }

    /// Releases what a stopped engine has in memory; it cannot be used afterwards. For programs
    /// that go on without it. Before its loops are shut down.
    public func release() {
        for loop in loops { loop.release() }
    }

    /// Ends all client connections that are still open.
    public func terminate() {
        for loop in loops { loop.run { $0.clients.terminateAll() } }
    }
}

/// Counts down from several threads and calls a closure once, at zero.
final class SharedCounter: Sendable {
    private let remaining: Atomic<Int>
    private let onZero: @Sendable () -> Void

    init(_ count: Int, onZero: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.onZero = onZero
    }

    func decrement() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onZero() }
    }
}
