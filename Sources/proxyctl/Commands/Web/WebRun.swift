internal import Capture
internal import ProxydAgents
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydPresentation
internal import ProxydProcessSetup
internal import ProxydSystem
internal import ProxydWeb
internal import ProxydWebServer

/// A server of the page, from its start to a signal.
struct WebRun {
    private let directory: DataDirectory
    private let services: WebServices
    private let address: ListenAddress
    private let allowedHosts: [String]

    /// - Parameter agents: What agents may do; nil if there are none.
    init(
        _ place: StorePlace, listen: String, allowedHosts: [String], agents: AgentPolicy?
    ) throws {
        guard let address = ListenAddress(listen) else {
            throw CommandFailure("--listen takes ADDRESS:PORT, 127.0.0.1:8090", code: .usage)
        }
        directory = place.directory
        self.address = address
        self.allowedHosts = allowedHosts
        OwnerIdentity.assume(of: directory.path)
        var services = WebRun.services(place)
        services.agents = agents.map { MCPServer(.of(place, $0)) }
        self.services = services
    }

    /// Whether a text is a host name or address followed by a port.
    static func isHostWithPort(_ text: String) -> Bool {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return false }
        return !text.contains { $0 == "/" || $0 == "@" || $0.isWhitespace }
    }

    private static func services(_ place: StorePlace) -> WebServices {
        let news = place.newsWatch()
        var services = WebServices(
            openStore: { try place.reader(asksDaemon: false) }, storeIdentity: { place.identity },
            waitForChange: { news.wait() }, now: { SystemClock.wallNow() })
        services.commitEnded = { place.commitEnded() }
        services.actions = .of(place)
        services.dataDirectory = place.directory.path
        services.version = ProgramVersion.number
        return services
    }

    /// Serves until a signal arrives.
    /// - Parameter tokenFile: The path of a file with the token; nil for a new one.
    func serve(opensBrowser: Bool, tokenFile: String?) throws {
        Signals.unblock()
        Allocator.saveMemory()
        let socket = try address.listen()
        let token = try tokenFile.map { try TokenFile(path: $0).token() } ?? WebToken.random()
        let port = socket.localAddress.port
        let access = WebAccess(
            port: port, address: shownHost, otherHosts: allowedHosts, token: token)
        let group = try EventLoopGroup.ofCommand()
        let signals = ServeSignals(on: group.loops[0])
        guard let api = WebAPI(services) else {
            throw CommandFailure("the system refuses to start a thread (see ulimit -u)")
        }
        let server = try start(socket, api.site(access))
        let addressGuard = AddressGuard(directory, ip: address.ip, port: port)
        addressGuard.start()
        let page = "http://\(shownHost):\(port)/"
        let url = page + "#token=\(token)"
        // A token that is used again must not be in a log.
        let shown = tokenFile.map { "\(page) with the token in \($0)" } ?? url
        Report().line(StyledText("proxyctl: \(shown)"))
        Report().flush()
        if opensBrowser { Browser.open(url) }
        signals.wait()
        addressGuard.stop()
        api.stop()
        server.stop()
        group.shutdown()
    }

    private func start(_ socket: ListeningSocket, _ site: WebSite) throws -> WebServer {
        do throws(StreamError) {
            return try WebServer(socket: socket, site: site)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The host in the printed address.
    private var shownHost: String { address.ip.contains(":") ? "[\(address.ip)]" : address.ip }
}
