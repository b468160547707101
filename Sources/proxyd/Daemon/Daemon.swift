internal import Capture
internal import ProxydCJemalloc
internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydCurlCommand
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydProcessSetup
internal import ProxydProxyEngine
internal import ProxydRuleActing
internal import ProxydTLS
internal import ProxydTransport
internal import ProxydUsers
internal import Glibc
internal import Logging
internal import Synchronization

/// The running daemon: assembles the parts, reloads them, and shuts them down in order.
///
/// ```
/// open store ─▶ load authority ─▶ start loops, engine, control ─▶ listen ─▶ serve
/// SIGHUP: read configuration, apply what needs no restart
/// SIGTERM: stop accepting ─▶ drain ─▶ end control ─▶ write what is queued ─▶ exit
/// ```
final class Daemon: Sendable {
    struct Environment: Sendable {
        let variables: [String: String]
        let configurationFile: String?
        let overrides: ConfigurationOverrides
        let dataDirectory: String

        func rulesFile(_ configuration: Configuration) throws(ConfigurationProblem) -> String? {
            try ConfigurationLocator(environment: variables).rulesFile(
                configured: configuration.rules.file, configurationFile: configurationFile)
        }
    }

    let environment: Environment
    let logger = Logger(label: "proxyd")
    let configuration: Mutex<Configuration>
    let access: Mutex<AccessByListener>
    private let group: EventLoopGroup
    private let authority: CertificateAuthority
    private let recorder: Recorder
    private let recording: RecordingSwitch
    private let interception: InterceptionSwitch
    let engine: ProxyEngine
    private let rules: RulesKeeper
    private let users: UsersKeeper
    private let control: ControlServer
    let service: ControlService
    private let subscription: StoreSubscription
    let manager: ServiceManager?
    private let descriptorCountMax: Int
    let certificates = ReverseCertificates()
    private let isStopping = Atomic<Bool>(false)
    private let signalSources = Mutex<LoopBound<[SignalSource]>?>(nil)

    /// Starts to write the secrets of TLS sessions to a file.
    private static func openKeyLog(_ file: String) throws {
        do throws(TLSKeyLog.Problem) {
            try TLSKeyLog.open(file)
        } catch {
            throw ConfigurationProblem(location: "tls.key_log_file", message: error.description)
        }
    }

    /// Opens and creates everything, but does not listen yet. `actor` applies rules to the traffic.
    init(
        _ configuration: Configuration, in environment: Environment,
        actor: (any TrafficActor)? = nil
    ) throws {
        self.environment = environment
        self.configuration = Mutex(configuration)
        let access = AccessByListener(configuration.listen)
        self.access = Mutex(access)
        descriptorCountMax = DescriptorLimit.raise()
        rules = RulesKeeper(
            try RuleChecks(
                configuration, dataDirectory: environment.dataDirectory,
                environment: environment.variables))
        try rules.use(try environment.rulesFile(configuration))
        users = try UsersKeeper(configuration.listen)
        if let file = configuration.tls.keyLogFile {
            try Daemon.openKeyLog(file)
            logger.warning("the keys of all TLS connections are written to \(file)")
        }
        CoreDumps.disable()
        Jemalloc.giveBackAtRest()
        let directory = DataDirectory(path: environment.dataDirectory)
        // Before anything is made or changed there: the authority's key is going to be below it.
        try directory.checkPath()
        recorder = try StoreStart(
            directory: directory, configuration: RecorderConfiguration(configuration.recording),
            logger: logger
        ).recorder()
        authority = try CertificateAuthority.loadOrCreate(
            in: directory.path, scope: configuration.tls.authorityScope)
        group = try EventLoopGroup(
            count: configuration.threads.loopCount(
                processorCount: sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        recording = RecordingSwitch(to: recorder)
        recording.choose(configuration.recording.parsedFilter)
        rules.useCaptures(in: directory)
        let parts = ProxyEngine.Parts(
            group: group, sink: recording,
            leaves: try LeafCertificateCache(authority: authority), authority: authority,
            clientContext: try TLSClientContext(
                trust: .system(extraFiles: configuration.tls.extraCAFiles)),
            resolver: Resolver(threadCountMax: configuration.threads.resolverCountMax),
            identifier: ProgramIdentifier(), actor: actor ?? rules.actor,
            authenticator: users, transport: HTTPTransport.Options(configuration))
        interception = InterceptionSwitch(configuration.tls, authority.scope)
        engine = ProxyEngine(
            parts: parts,
            configuration: EngineConfiguration(
                configuration, access: access, interception: interception,
                routes: try RouteTable(configuration, environment: environment.variables),
                descriptorCountMax: descriptorCountMax))
        service = ControlService(
            recorder: recorder, recording: recording, interception: interception,
            engine: engine, directory: directory,
            startedAt: EventLoop.wallNow(), rules: ServerRules(configuration), keeper: rules)
        control = try ControlServer(
            dataDirectory: directory.path, on: group.next(), handler: service)
        manager = ServiceManager(environment: environment.variables)
        subscription = ControlService.publish(changesOf: recorder, to: control)
        service.publishHolds(to: control)
    }

    /// Listens, reports the addresses, and serves until a signal asks it to stop.
    func run() throws {
        let requests = try DaemonRequests()
        try watchSignals(requests)
        let addresses = try start()
        for address in addresses { announce("proxyd: listening on \(address)") }
        manager?.notify(.ready, .status("listening on \(addresses.first?.description ?? "-")"))
        while case .reload = requests.next() { reload() }
        try stop()
    }

    func start() throws -> [SocketAddress] {
        let served: [ServedSocket]
        do {
            served = try listen()
        } catch {
            // A failed start must not leave a control socket that no process serves, or a store
            // that looks interrupted.
            control.stop()
            recorder.stop()
            throw error
        }
        let addresses = served.map(\.socket.localAddress)
        let proxies = served.filter(\.isProxy).map(\.socket.localAddress)
        reportStart(addresses)
        if manager == nil, let proxy = proxies.first { suggestRequests(through: proxy) }
        let transparent = served.filter { $0.listener?.mode == .transparent }
        service.setAddresses(
            ControlService.Addresses(
                all: addresses.map(\.description), ofProxies: proxies.map(\.description),
                transparent: transparent.map(\.socket.localAddress.description)))
        return addresses
    }

    /// Logs what a user needs to know if something is not as expected.
    private func reportStart(_ addresses: [SocketAddress]) {
        let listening = addresses.map(\.description).joined(separator: ", ")
        logger.info("listening on \(listening), data in \(environment.dataDirectory)")
        logger.info("certificate authority: SHA-256 \(authority.certificate.fingerprintText)")
        logger.info("rules file: \(rules.current.file ?? "none, because HOME is not set")")
        let recorded = recorder.status
        if let path = recorded.damagedStorePath {
            logger.error("the store was damaged: it was moved to \(path) and a new one created")
        }
        if recorded.interruptedCount > 0 {
            logger.notice(
                "exchanges interrupted when proxyd last exited: \(recorded.interruptedCount)"
            )
        }
    }

    /// Logs commands to try, as the terminal interface shows them, for those who start the daemon
    /// themselves.
    private func suggestRequests(through proxy: SocketAddress) {
        let loopback = proxy.ip.contains(":") ? "[::1]" : "127.0.0.1"
        let address = proxy.isUnspecified ? "\(loopback):\(proxy.port)" : "\(proxy)"
        let path = CertificateAuthority.certificatePath(in: environment.dataDirectory)
        let certificate = ShellWord.quoted(path)
        logger.info("try it: curl -x http://\(address) http://example.com/")
        logger.info("or: curl -x http://\(address) --cacert \(certificate) https://example.com/")
    }

    // MARK: Signals

    /// Returns once signals are watched: whoever is told of readiness may stop the daemon then.
    private func watchSignals(_ requests: DaemonRequests) throws {
        let watched = try Latch()
        let loop = group.loops[0]
        loop.execute { [self] in
            watchSignals(on: loop, requests)
            watched.open()
        }
        watched.wait()
    }

    private func watchSignals(on loop: EventLoop, _ requests: DaemonRequests) {
        let stop = { [self] in
            if isStopping.exchange(true, ordering: .relaxed) {
                // A second request to stop does not wait for clients.
                engine.terminate()
            } else {
                requests.ask(.stop)
            }
        }
        let sources = [
            SignalSource(signal: SIGTERM, on: loop, stop),
            SignalSource(signal: SIGINT, on: loop, stop),
            SignalSource(signal: SIGHUP, on: loop) { requests.ask(.reload) },
        ]
        signalSources.withLock { $0 = LoopBound(sources, loop: loop) }
        guard let interval = manager?.watchdogIntervalNs else { return }
        // Half the interval, as recommended by sd_watchdog_enabled(3).
        loop.scheduleRepeating(everyNs: interval / 2) { [manager] in manager?.notify(.watchdog) }
    }

    /// Reloads the configuration and the rules. This takes a tenth of a second if the system has
    /// many root certificates, so it runs on the thread that started the daemon.
    private func reload() {
        manager?.notifyReloading()
        defer { manager?.notify(.ready) }
        let next: Configuration
        let context: TLSClientContext
        let rulesFile: String?
        let routes: RouteTable?
        let nextUsers: ListenerUsers
        do {
            next = try Configuration.load(
                file: environment.configurationFile, overrides: environment.overrides)
            context = try TLSClientContext(trust: .system(extraFiles: next.tls.extraCAFiles))
            rulesFile = try environment.rulesFile(next)
            routes = try RouteTable(next, environment: environment.variables)
            try rules.use(try RouteNames(next, environment: environment.variables))
            nextUsers = try UsersKeeper.users(of: next.listen)
        } catch {
            let problems = (error as? ConfigurationError)?.problems.map(\.description)
            for problem in problems ?? ["\(error)"] { logger.error("\(problem)") }
            logger.error("the configuration was not reloaded; the old one stays in force")
            return
        }
        rules.secrets.use(next)
        let old = configuration.withLock { current in
            defer { current = next }
            return current
        }
        let changes = ConfigurationChange.between(old, next)
        for change in changes {
            let when = change.effect == .onReload ? "now" : "after a restart"
            logger.notice("\(change.path): \(change.old) → \(change.new), in force \(when)")
        }
        StandardErrorLog.setLevel(next.logLevel)
        let access = access.withLock { access in
            access.update(next.listen)
            return access
        }
        for problem in certificates.reload() {
            logger.error("\(problem): the old certificate stays in use")
        }
        interception.use(next.tls)
        users.use(nextUsers)
        engine.reload(
            EngineConfiguration(
                next, access: access, interception: interception, routes: routes,
                descriptorCountMax: descriptorCountMax),
            transport: HTTPTransport.Options(next), clientContext: context)
        recording.choose(next.recording.parsedFilter)
        service.setServerRules(ServerRules(next))
        logger.notice("configuration reloaded, keys changed: \(changes.count)")
        rules.change(to: rulesFile)
    }

    // MARK: Stopping

    /// Lets exchanges continue for the drain time, ends the rest, and writes all queued data.
    func stop() throws {
        logger.notice("stopping")
        manager?.notify(.stopping)
        let seconds = configuration.withLock { $0.timeouts.shutdownGraceSeconds }
        let drained = try Latch()
        engine.stop(drainNs: Nanoseconds.clamping(seconds: Int64(seconds))) { drained.open() }
        drained.wait()
        rules.actor.endScripts()
        users.stop()
        control.stop()
        recorder.stop()
        group.shutdown()
        logger.notice("stopped")
    }
}

/// A listening socket and its listener. `listener` is nil for a socket from the service manager
/// that matches no listener in the configuration; such a socket serves as a proxy.
struct ServedSocket {
    let socket: ListeningSocket
    let listener: Configuration.Listener?

    var name: String { listener?.name ?? "\(socket.localAddress)" }
    /// Whether clients use it as an HTTP proxy.
    var isProxy: Bool { listener.map { $0.mode == .proxy } ?? true }
}

extension Configuration.Listener {
    /// Whether a socket listens on the address of this listener.
    func isAt(_ local: SocketAddress) -> Bool {
        SocketAddress(ip: address.ip, port: address.port) == local
    }
}

/// Requests from signals for the thread that started the daemon. That thread waits here and carries
/// them out, so that no connection waits while a reload reads files.
final class DaemonRequests: Sendable {
    enum Request {
        case reload
        case stop
    }

    private let asked = Mutex((reload: false, stop: false))
    private let news: Latch

    init() throws { news = try Latch() }

    /// Adds a request, from any thread. A request that is already queued is not added again.
    func ask(_ request: Request) {
        let isNews = asked.withLock { asked in
            let before = asked
            switch request {
            case .reload: asked.reload = true
            case .stop: asked.stop = true
            }
            return asked != before
        }
        if isNews { news.open() }
    }

    /// Waits for the next request; a stop takes precedence over a reload.
    func next() -> Request {
        while true {
            news.wait()
            let request: Request? = asked.withLock { asked in
                if asked.stop { return .stop }
                defer { asked.reload = false }
                return asked.reload ? .reload : nil
            }
            if let request { return request }
        }
    }
}

/// Lets one thread wait for an event on another; each wait consumes one signal.
final class Latch: Sendable {
    // A pipe: a byte in it is the signal, and waiting for it needs no lock.
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw StartFailure(message: "cannot create a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func open() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    func wait() {
        var byte: UInt8 = 0
        while read(readEnd, &byte, 1) < 0, errno == EINTR {}
    }
}

/// Why the daemon could not start, in one readable line.
struct StartFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// jemalloc, which replaces glibc's allocator in this program.
///
/// Recorded data is allocated by the event loops and freed by the recorder. With glibc, freeing a
/// block would take a lock that the allocating thread also needs, and the freed memory would stay
/// in that thread's arena.
enum Jemalloc {
    /// Makes a jemalloc background thread return unused memory to the system after about ten
    /// seconds. Otherwise that happens only during allocations, and so never while the program is
    /// idle. Nothing else depends on it, so a failure is ignored.
    static func giveBackAtRest() {
        var isOn = true
        _ = mallctl("background_thread", nil, nil, &isOn, MemoryLayout<Bool>.size)
    }

    /// The version of jemalloc, such as `5.3.0`.
    static var version: String {
        var text: UnsafePointer<CChar>?
        var size = MemoryLayout<UnsafePointer<CChar>?>.size
        guard mallctl("version", &text, &size, nil, 0) == 0, let text else { return "" }
        // The version is followed by the commit that it was built from.
        return String(String(cString: text).prefix { $0 != "-" })
    }
}
