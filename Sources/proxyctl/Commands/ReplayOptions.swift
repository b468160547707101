internal import ArgumentParser
internal import Capture
internal import ClientLib
internal import Control
internal import HTTPModel

/// How `proxyctl replay` sends.
struct ReplayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How often each is sent.", valueName: "n"))
    var times = 1
    @Option(
        help: ArgumentHelp(
            "Requests on their way at once. (default: 1, with --pacing 64)", valueName: "k"))
    var concurrency: Int?
    @Option(help: ArgumentHelp("Milliseconds between two beginnings.", valueName: "ms"))
    var delayMs = 0
    @Option(help: ArgumentHelp("Up to so many milliseconds more.", valueName: "ms"))
    var jitterMs = 0
    @Flag(help: "The octets that went to the server, every one.")
    var exact = false
    @Option(name: .customLong("set"), help: ArgumentHelp("An edit.", valueName: "edit"))
    var settings: [String] = []
    @Option(
        name: .customLong("unset"),
        help: ArgumentHelp(
            "header:NAME, query:NAME, form:NAME or json:PATH to leave out.", valueName: "what"))
    var removals: [String] = []
    @Flag(help: "Of a request's body that was cut, send what was kept.")
    var truncated = false
    @Flag(help: "Send nothing more once one differs, and exit 1.")
    var stopOnMismatch = false
    @Option(help: ArgumentHelp("original: as far apart as they were.", valueName: "pacing"))
    var pacing: ReplayCommand.Pacing?

    @Option(
        defaultAsFlag: ReplayOptions.ownDaemon,
        help: ArgumentHelp(
            "Go through a proxy: http or socks5; without a URL the running proxyd, which records "
                + "the requests, too.", valueName: "url"))
    var viaProxy: String?
    @Flag(help: "Do not verify the servers' certificates.")
    var insecure = false

    /// Stands for the daemon of the data directory.
    private static let ownDaemon = "proxyd"
    /// More would be a mistake.
    private static let concurrencyMax = 1_000
    private static let pacedConcurrency = 64

    /// What argument parsing alone cannot refuse.
    func check() throws {
        guard times > 0 else { throw ValidationError("--times must be 1 or more") }
        guard concurrency.map({ (1...ReplayOptions.concurrencyMax).contains($0) }) ?? true else {
            throw ValidationError("--concurrency is from 1 to \(ReplayOptions.concurrencyMax)")
        }
        guard (0...86_400_000).contains(delayMs), (0...86_400_000).contains(jitterMs) else {
            throw ValidationError("--delay-ms and --jitter-ms are from 0 to a day")
        }
        guard !exact || (settings.isEmpty && removals.isEmpty) else {
            throw ValidationError("--exact cannot be edited")
        }
        guard pacing == nil || times == 1 else {
            throw ValidationError("--pacing goes with --times 1")
        }
        _ = try edits()
        if let viaProxy, viaProxy != ReplayOptions.ownDaemon { _ = try proxy(viaProxy) }
    }

    /// The plan.
    func plan() throws -> ReplayPlan {
        var plan = ReplayPlan()
        plan.fidelity = exact ? .octets : .semantic
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

    /// A session that goes to servers directly and has as many connections as are wanted.
    func sessionConfiguration(_ directory: DataDirectory) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(headers: HeaderFields())
        configuration.maximumConnectionsPerHost = inFlightCountMax
        configuration.cookieStorage = nil
        if let viaProxy {
            configuration.proxy =
                try viaProxy == ReplayOptions.ownDaemon
                ? ReplayOptions.daemon(directory) : ProxySettings(proxy(viaProxy))
        }
        if insecure {
            configuration.serverTrustManager = ServerTrustManager(
                evaluators: ["*": DisabledTrustEvaluator()])
        }
        return configuration
    }

    private func proxy(_ text: String) throws -> ProxyServer {
        do throws(ProxySettingsError) {
            return try ProxyServer(text)
        } catch {
            throw ValidationError("--via-proxy: \(error)")
        }
    }

    /// The running daemon, whose authority is trusted.
    private static func daemon(_ directory: DataDirectory) throws -> ProxySettings {
        guard let client = try StoreChanger.daemon(directory) else {
            throw CommandFailure("no daemon runs: give --via-proxy a URL")
        }
        let addresses: [String]
        do throws(ControlError) {
            addresses = try client.status().listenAddresses
        } catch {
            throw CommandFailure(error.message)
        }
        guard let address = addresses.first, let server = try? ProxyServer(address) else {
            throw CommandFailure("the daemon listens on no address")
        }
        return .proxyd(host: server.host, port: server.port, dataDirectory: directory.path)
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
