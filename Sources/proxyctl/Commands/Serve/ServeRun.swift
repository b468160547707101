internal import Capture
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydProcessSetup
internal import ProxydProxyEngine
internal import ProxydRuleActing
internal import ProxydRules
internal import ProxydTLS
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A server that answers with captures: the proxy's own engine with one rule, from its start to the
/// report.
struct ServeRun {
    static let ruleName = "serve"
    /// How long running exchanges may continue after a signal, in nanoseconds.
    private static let drainNs: Int64 = 2_000_000_000

    private let rules: RuleSet
    private let source: ServeSource
    private let authority: ServeAuthority
    private let address: ListenAddress
    private let actor = RuleActor()

    /// - Parameters:
    ///   - rules: One rule with one mock.
    ///   - listen: The value of `--listen`.
    init(
        _ rules: RuleSet, _ source: ServeSource, _ directory: DataDirectory, listen: String
    ) throws {
        guard let address = ListenAddress(listen) else {
            throw CommandFailure(
                "--listen takes ADDRESS:PORT, such as 127.0.0.1:8081", code: .usage)
        }
        let forwards = rules.mocks.contains { $0.mock.unmatched == .forward }
        guard address.isLoopback || !forwards else {
            throw CommandFailure(
                "--unmatched forward would make \(listen) a proxy for every machine that can reach "
                    + "it", code: .usage)
        }
        self.rules = rules
        self.source = source
        self.address = address
        authority = try ServeAuthority(directory)
    }

    /// Serves until a signal arrives, and reports.
    func serve(isStrict: Bool) throws {
        Signals.unblock()
        let (group, socket) = (try EventLoopGroup(count: 1), try address.listen())
        let engine = try engine(on: group)
        let report = readCaptures(port: socket.localAddress.port)
        for problem in report?.problems ?? [] { Report.warn(problem) }
        guard let report, report.captureCount > 0 else {
            throw CommandFailure("there is nothing to serve")
        }
        let signals = ServeSignals(on: group.loops[0])
        engine.serve(socket)
        let captures = Quantity.count(report.captureCount, "capture")
        Report().line(StyledText("serving \(captures) on \(socket.localAddress)"))
        Environment.current.output.flush()
        signals.wait()
        let stopped = DispatchSemaphore(value: 0)
        engine.stop(drainNs: ServeRun.drainNs) { stopped.signal() }
        stopped.wait()
        group.shutdown()
        try tell(isStrict: isStrict)
    }

    // MARK: Captures

    /// Puts the rule into effect; returns when its captures have been read.
    private func readCaptures(port: UInt16) -> MockReport? {
        let read = DispatchSemaphore(value: 0)
        let captures = source.captures(isOwn: { ServeRun.isOwn($0, port: port) }) { _ in
            read.signal()
        }
        actor.useCaptures(of: captures)
        actor.use(rules, from: "/")
        read.wait()
        return currentReport
    }

    private var currentReport: MockReport? { actor.counts.first?.mocks.first }

    /// Whether a URL names this server: by an IP address or a name without dots, with the port of
    /// this server. Without a port only the addresses of this machine count, because a Host field
    /// may lack it.
    static func isOwn(_ url: RawURL, port: UInt16) -> Bool {
        guard url.scheme == "http" else { return false }
        let address = SocketAddress(ip: url.host, port: port)
        if url.port == port { return !url.host.contains(".") || address != nil }
        return url.port == 80
            && (HostName.areSame(url.host, "localhost") || address?.isLoopback == true)
    }

    // MARK: Engine

    private func engine(on group: EventLoopGroup) throws -> ProxyEngine {
        let parts = ProxyEngine.Parts(
            group: group, sink: ServeSink(),
            leaves: try LeafCertificateCache(authority: authority.authority),
            authority: authority.authority,
            clientContext: try TLSClientContext(trust: .system(extraFiles: [])),
            resolver: Resolver(), actor: actor)
        return ProxyEngine(parts: parts, configuration: configuration)
    }

    private var configuration: EngineConfiguration {
        var configuration = EngineConfiguration()
        configuration.ownHostNames = []
        configuration.forwardsToHost = true
        configuration.identifiesClients = false
        configuration.bodyCaptureByteCountMax = 0
        configuration.http2Frames = .none
        let (isLoopback, intercepts) = (address.isLoopback, authority.isKept)
        configuration.isClientAllowed = { client, _ in client.isLoopback || !isLoopback }
        configuration.interception = { _, _ in intercepts ? .intercept : .passThrough }
        return configuration
    }

    // MARK: Report

    private func tell(isStrict: Bool) throws {
        guard let report = currentReport else { return }
        for line in ServeReport.lines(report) { Report().line(StyledText(line)) }
        if isStrict, report.unmatchedCount > 0 { throw CommandFailure(nil) }
    }
}

/// The authority that issues certificates for served hosts.
struct ServeAuthority {
    let authority: CertificateAuthority
    /// Whether it is the data directory's authority, which clients may trust. Otherwise it exists
    /// only for this run, and TLS is not intercepted.
    let isKept: Bool

    /// Loads the authority of a data directory if it has a usable one; it is never created there.
    init(_ directory: DataDirectory) throws {
        if let kept = ServeAuthority.kept(directory) {
            authority = kept
            isKept = true
            return
        }
        let path = try ServeSource.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: path) }
        isKept = false
        authority = try CertificateAuthority.loadOrCreate(in: path)
    }

    private static func kept(_ directory: DataDirectory) -> CertificateAuthority? {
        let path = CertificateAuthority.certificatePath(in: directory.path)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let locator = ConfigurationLocator(environment: Environment.current.variables)
        let file = locator.configurationFile(flag: nil)
        let scope = (try? Configuration.load(file: file))?.tls.authorityScope ?? .unlimited
        do throws(CertificateAuthorityError) {
            return try CertificateAuthority.loadOrCreate(in: directory.path, scope: scope)
        } catch {
            Report.warn("https cannot be served: \(error.message)")
            return nil
        }
    }
}

/// Receives exchanges from the engine and discards them: what is served has already been captured.
final class ServeSink: ExchangeSink {
    private let last = Atomic<Int64>(0)

    func nextExchangeID() -> ExchangeID { ExchangeID(rawValue: next()) }

    func nextConnectionID() -> ConnectionID { ConnectionID(rawValue: next()) }

    private func next() -> Int64 { last.add(1, ordering: .relaxed).newValue }

    func record(_ update: consuming ExchangeUpdate) {}

    func record(_ connection: ConnectionRecord) {}

    var isCongested: Bool { false }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) { resume() }
}

/// Waits for the signals that end a server.
final class ServeSignals: Sendable {
    private let sources = Mutex<LoopBound<[SignalSource]>?>(nil)
    private let heard = DispatchSemaphore(value: 0)

    /// Returns when signals are watched: a caller may send one as soon as the server is announced.
    init(on loop: EventLoop) {
        let watched = DispatchSemaphore(value: 0)
        loop.execute { [self] in
            let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
                SignalSource(signal: number, on: loop) { self.heard.signal() }
            }
            self.sources.withLock { $0 = LoopBound(sources, loop: loop) }
            watched.signal()
        }
        watched.wait()
    }

    func wait() { heard.wait() }
}

extension ListenAddress {
    /// Listens on the address, for a server of this program.
    func listen() throws -> ListeningSocket {
        do throws(StreamError) {
            guard let endpoint = SocketAddress(ip: ip, port: port) else {
                throw StreamError(errorNumber: EINVAL)
            }
            return try ListeningSocket(address: endpoint)
        } catch {
            throw CommandFailure("cannot listen on \(text): \(error)")
        }
    }
}
