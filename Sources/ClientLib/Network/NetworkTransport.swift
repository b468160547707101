internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTransport

/// The transport that uses the network, with its own event loops and their connections.
final class NetworkTransport: ClientTransport {
    private let group: EventLoopGroup
    private let lanes: [NetworkLane]
    private let options: NetworkOptions

    /// Starts the loops.
    /// - Throws: `.network(.overloaded)` if the system is out of threads or file descriptors.
    init(options: NetworkOptions) throws(ClientError) {
        self.options = options
        do throws(StreamError) {
            group = try EventLoopGroup(count: options.loopCount)
        } catch {
            throw ClientError(.network(.overloaded), message: error.message)
        }
        let resolver = Resolver()
        let turns = PerHostLimiterTable(runningCountMax: options.connectionsPerHostCountMax)
        lanes = group.loops.map {
            NetworkLane(loop: $0, resolver: resolver, options: options, turns: turns)
        }
    }

    deinit { shutdown() }

    /// Loads the authorities that check a server, if they are not loaded yet: the first request
    /// over TLS would otherwise wait for them. A request reports what is wrong with them.
    func loadAuthorities() {
        if options.serverTrust == nil { _ = try? options.authorities.store() }
    }

    func start(_ request: TransportRequest) -> any TransportCall {
        let loop = group.next()
        let lane = lanes.first { $0.loop === loop } ?? lanes[0]
        let call = NetworkCall(request, lane: lane)
        loop.execute { lane.submit(call) }
        return call
    }

    /// A conversation over a connection without HTTP.
    func conversation(to target: ConnectTarget, timeouts: Timeouts) -> StreamConversation {
        let loop = group.next()
        let lane = lanes.first { $0.loop === loop } ?? lanes[0]
        return StreamConversation(target: target, timeouts: timeouts, lane: lane)
    }

    /// Waits for the loops' threads to end; must not be called on one of them.
    func shutdown() {
        if group.loops.contains(where: \.isOnLoop) {
            for loop in group.loops { loop.stop() }
        } else {
            group.shutdown()
        }
    }
}
