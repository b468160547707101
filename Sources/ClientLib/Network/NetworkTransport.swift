internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// The transport that uses the network, with its own event loops and their connections.
final class NetworkTransport: ClientTransport {
    private let group: EventLoopGroup
    private let loopTransports: [LoopTransport]
    private let options: NetworkOptions

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
        loopTransports = group.loops.map {
            LoopTransport(loop: $0, resolver: resolver, options: options, turns: turns)
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
        let loopTransport = loopTransports.first { $0.loop === loop } ?? loopTransports[0]
        let call = NetworkCall(request, loopTransport: loopTransport)
        loop.execute { loopTransport.submit(call) }
        return call
    }

    /// A conversation over a connection without HTTP.
    func conversation(to target: ConnectTarget, timeouts: Timeouts) -> StreamConversation {
        let loop = group.next()
        let loopTransport = loopTransports.first { $0.loop === loop } ?? loopTransports[0]
        return StreamConversation(target: target, timeouts: timeouts, loopTransport: loopTransport)
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

struct NetworkOptions: Sendable {
    /// The number of threads; each has its own connections.
    var loopCount = 1
    /// The largest number of concurrent requests to one host and port, over all loops.
    var connectionsPerHostCountMax = 8
    /// The largest number of concurrent HTTP/2 requests to one host and port, over all loops.
    var streamsPerHostCountMax = 100
    /// How long a kept-alive connection may be idle, in nanoseconds.
    var idleConnectionTimeoutNs: Int64 = 30_000_000_000
    var authorities = AuthorityStore(.system(extraFiles: []))
    /// Evaluates trust, or nil to rely on the authorities only.
    var serverTrust: ServerTrustManager?
    var clientCertificates = ClientCertificates.none
    var proxies = ProxySettings.direct
    var addressRules = AddressRules()
    var wireLimits = WireLimits()
}

/// Replaces a transport that could not be created: every call fails with the reason.
struct FailedTransport: ClientTransport {
    let error: ClientError

    func start(_ request: TransportRequest) -> any TransportCall {
        FailedCall(error: error, report: TransportReport(timeline: request.timeline))
    }

    func shutdown() {}

    private final class FailedCall: TransportCall {
        let error: ClientError
        let report: TransportReport

        init(error: ClientError, report: TransportReport) {
            self.error = error
            self.report = report
        }

        func head() async throws(ClientError) -> ResponseHead { throw error }
        func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? { throw error }
        func cancel() {}
    }
}
