internal import ProxydPresentation
internal import Capture
internal import Dispatch
internal import Glibc
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProcessSetup
internal import ProxydProxyEngine
internal import ProxydRuleActing
internal import ProxydRules
internal import ProxydTLS
internal import ProxydTransport

/// A server that answers with captures: the proxy's own engine with one rule, from its start to the
/// report.
struct ServeRun {
    /// The name of the rule that serves.
    static let ruleName = "serve"
    /// How long running exchanges may continue after a signal, in nanoseconds.
    private static let drainNs: Int64 = 2_000_000_000

    private let rules: RuleSet
    private let source: ServeSource
    private let authority: ServeAuthority
    private let address: ListenAddress
    private let actor = RuleActor()

    /// Prepares a run.
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
        let (group, socket) = (try EventLoopGroup.ofCommand(), try address.listen())
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
        do throws(TLSError) {
            let parts = ProxyEngine.Parts(
                group: group, sink: ServeSink(),
                leaves: try LeafCertificateCache(authority: authority.authority),
                authority: authority.authority,
                clientContext: try TLSClientContext(trust: .system(extraFiles: [])),
                resolver: Resolver(), actor: actor)
            return ProxyEngine(parts: parts, configuration: configuration)
        } catch {
            throw CommandFailure("\(error)")
        }
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
