internal import ArgumentParser
internal import Capture
internal import ClientLib
internal import ProxydHTTPModel

/// How `proxyctl replay` sends requests.
struct ReplayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many times to send each request.", valueName: "n"))
    var times = 1
    @Option(
        help: ArgumentHelp(
            "The number of concurrent requests. (default: 1, with --pacing 64)", valueName: "k"))
    var concurrency: Int?
    @Option(help: ArgumentHelp("Milliseconds between the starts of two requests.", valueName: "ms"))
    var delayMs = 0
    @Option(
        help: ArgumentHelp("Random extra delay, up to this many milliseconds.", valueName: "ms"))
    var jitterMs = 0
    @Flag(help: "Send exactly the bytes that were sent to the server.")
    var exact = false
    @Option(
        help: ArgumentHelp(
            "1.1 or 2, instead of the version used originally.", valueName: "version"))
    var httpVersion: String?
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("An edit to apply; may be repeated.", valueName: "edit"))
    var settings: [String] = []
    @Option(
        name: .customLong("unset"),
        help: ArgumentHelp(
            "A header:NAME, query:NAME, form:NAME or json:PATH to remove.", valueName: "what"))
    var removals: [String] = []
    @Flag(help: "Send the recorded part of a truncated request body.")
    var truncated = false
    @Flag(help: "Stop at the first response that differs, and exit with 1.")
    var stopOnMismatch = false
    @Option(
        help: ArgumentHelp(
            "original: keep the original intervals between requests.", valueName: "pacing"))
    var pacing: ReplayCommand.Pacing?

    @Option(
        defaultAsFlag: ReplayOptions.ownDaemon,
        help: ArgumentHelp(
            "Use a proxy (http or socks5); without a URL, the running proxyd, which also records "
                + "the requests.", valueName: "url"))
    var viaProxy: String?
    @Flag(help: "Do not verify server certificates.")
    var insecure = false
    @Option(
        help: ArgumentHelp(
            "Connect to this address instead of resolving the host, as in curl.",
            valueName: "host:port:addr"))
    var resolve: [String] = []
    @Option(
        help: ArgumentHelp(
            "The configuration to use if no daemon is running. (default: the one that proxyd would "
                + "read)", valueName: "file"))
    var config: String?

    /// The value that means the daemon of the data directory.
    private static let ownDaemon = "proxyd"
    /// A higher value would be a mistake.
    private static let concurrencyMax = 1_000
    private static let pacedConcurrency = 64

    /// Checks what argument parsing alone cannot.
    func check() throws {
        guard times > 0 else { throw ValidationError("--times must be at least 1") }
        guard concurrency.map({ (1...ReplayOptions.concurrencyMax).contains($0) }) ?? true else {
            throw ValidationError("--concurrency must be from 1 to \(ReplayOptions.concurrencyMax)")
        }
        guard (0...86_400_000).contains(delayMs), (0...86_400_000).contains(jitterMs) else {
            throw ValidationError("--delay-ms and --jitter-ms must be from 0 to a day")
        }
        guard !exact || (settings.isEmpty && removals.isEmpty) else {
            throw ValidationError("--exact cannot be combined with edits")
        }
        guard pacing == nil || times == 1 else {
            throw ValidationError("--pacing requires --times 1")
        }
        _ = try edits()
        _ = try version()
        _ = try route()
    }

    /// Creates the replay plan.
    func plan() throws -> ReplayPlan {
        var plan = ReplayPlan()
        plan.fidelity = exact ? .bytes : .semantic
        plan.version = try version()
        plan.edits = try edits()
        plan.roundCount = times
        plan.concurrency = inFlightCountMax
        plan.delay = .milliseconds(delayMs)
        plan.jitter = .milliseconds(jitterMs)
        plan.pacing = pacing == nil ? .none : .original
        plan.sendsTruncatedBodies = truncated
        plan.stopsOnMismatch = stopOnMismatch
        return plan
    }

    private func version() throws -> ReplayVersion {
        guard let httpVersion else { return .recorded }
        guard let version = ReplayVersion(rawValue: httpVersion), version != .recorded else {
            throw ValidationError("--http-version takes 1.1 or 2, not \"\(httpVersion)\"")
        }
        return version
    }

    /// Configures a session with as many connections as requested.
    func sessionConfiguration(_ directory: DataDirectory) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(headers: HeaderFields())
        configuration.maximumConnectionsPerHost = inFlightCountMax
        configuration.maximumStreamsPerHost = inFlightCountMax
        configuration.cookieStorage = nil
        try route().apply(to: &configuration, directory)
        return configuration
    }

    private func route() throws -> ServerRoute {
        var route = ServerRoute()
        route.isVerified = !insecure
        route.configurationFile = config
        route.resolutions = try resolve.map { text in
            guard let resolution = HostResolution(text) else {
                throw ValidationError("--resolve takes HOST:PORT:ADDRESS, not \"\(text)\"")
            }
            return resolution
        }
        if let viaProxy {
            guard resolve.isEmpty else {
                throw ValidationError(
                    "--resolve cannot be used with --via-proxy: the proxy resolves names itself")
            }
            route.way =
                viaProxy == ReplayOptions.ownDaemon ? .daemon : .proxy(try proxy(viaProxy))
        }
        return route
    }

    private func proxy(_ text: String) throws -> ProxyServer {
        do throws(ProxySettingsError) {
            return try ProxyServer(text)
        } catch {
            throw ValidationError("--via-proxy: \(error)")
        }
    }

    private var inFlightCountMax: Int {
        concurrency ?? (pacing == nil ? 1 : ReplayOptions.pacedConcurrency)
    }

    private func edits() throws -> [ReplayEdit] {
        do throws(ReplayRefusal) {
            var edits: [ReplayEdit] = []
            for text in settings { edits.append(try ReplayEdit(setting: text)) }
            for text in removals { edits.append(try ReplayEdit(removing: text)) }
            return edits
        } catch {
            throw ValidationError(error.message)
        }
    }
}
