internal import Capture
internal import ProxydAgents
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydProcessSetup
internal import ProxydSystem
internal import ProxydWeb
internal import ProxydWebServer
internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// `proxyctl web`: serves the page and its HTTP interface.
struct WebCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Serve a web page on what was recorded.",
        discussion: """
            Prints the address of the page, with its token, and opens it in a browser. The page \
            works beside a running daemon and without one. Ends on SIGINT or SIGTERM.

            Only this machine can connect unless --listen names another address. The token is \
            needed for everything but the page's own files; whoever has it can read what was \
            recorded and send requests. Behind a tunnel or a reverse proxy, --allow-host names \
            the host and port that browsers use; NAME:443 and NAME:80 also allow NAME alone, as \
            browsers send it.

            --mcp lets AI agents in, too: they send the token as "Authorization: Bearer" in a POST \
            to /mcp. The options that follow it say what they may see and do.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Option(
        help: ArgumentHelp("The address to listen on; port 0 is any.", valueName: "address:port"))
    var listen = "127.0.0.1:0"
    @Flag(name: .customLong("no-open"), help: "Do not open a browser.")
    var noOpen = false
    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another host and port that the page may be reached by; repeatable.",
            valueName: "name:port"))
    var allowedHosts: [String] = []
    @Option(
        name: .customLong("token-file"),
        help: ArgumentHelp(
            "A file with the token, created if it does not exist; otherwise the token is new at "
                + "each start.", valueName: "file"))
    var tokenFile: String?
    @Option(
        name: .customLong("import-max"),
        help: ArgumentHelp(
            "The largest file that the page imports, such as 500MB.", valueName: "size"),
        transform: WebCommand.size)
    var importMax: Int64 = 1 << 30
    @Flag(help: "Serve AI agents at /mcp (see proxyctl mcp).")
    var mcp = false
    @OptionGroup var agents: AgentOptions

    private static func size(_ text: String) throws -> Int64 {
        guard let size = SizeText.byteCount(text), size > 0 else {
            throw ValidationError("\(text) is not a size, such as 500MB or 2GiB")
        }
        return size
    }

    func validate() throws {
        for host in allowedHosts where !WebRun.isHostWithPort(host) {
            throw ValidationError("--allow-host takes NAME:PORT, not \(host)")
        }
        if agents.isUsed, !mcp { throw ValidationError("options for agents need --mcp") }
    }

    func run() throws {
        let location = try reading.location(global)
        let policy = mcp ? try agents.policy() : nil
        let run = try WebRun(
            location, listen: listen, allowedHosts: allowedHosts, agents: policy,
            importMax: importMax)
        try run.serve(opensBrowser: !noOpen, tokenFile: tokenFile)
    }
}

/// A server of the page, from its start to a signal.
struct WebRun {
    private let directory: DataDirectory
    private let services: WebServices
    private let address: ListenAddress
    private let allowedHosts: [String]

    /// - Parameter agents: What agents may do; nil if there are none.
    init(
        _ location: StoreLocation, listen: String, allowedHosts: [String], agents: AgentPolicy?,
        importMax: Int64
    ) throws {
        guard let address = ListenAddress(listen) else {
            throw CommandFailure("--listen takes ADDRESS:PORT, 127.0.0.1:8090", code: .usage)
        }
        directory = location.directory
        self.address = address
        self.allowedHosts = allowedHosts
        OwnerIdentity.assume(of: directory.path)
        var services = WebRun.services(location)
        services.agents = agents.map { MCPServer(.of(location, $0)) }
        if location.central == nil, services.actions.annotating != nil {
            services.actions.importing = StoreImporter(
                directory: location.directory, byteCountMax: importMax)
            services.lookInto = WebRun.lookInto
        }
        self.services = services
    }

    /// Whether a text is a host name or address followed by a port.
    static func isHostWithPort(_ text: String) -> Bool {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return false }
        return !text.contains { $0 == "/" || $0 == "@" || $0.isWhitespace }
    }

    /// Reads an uploaded file into a store of its own, which is removed with it.
    private static func lookInto(
        _ file: any UploadedFile, _ name: String, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> LookedIntoFile {
        let store = FileStore()
        do {
            let directory = try store.makeDirectory()
            let outcome = try TemporaryUpload.read(file, named: name, into: directory, isCancelled)
            let location = StoreLocation(directory: directory, central: nil)
            var services = WebRun.services(location)
            services.actions = HostActions()
            services.actions.exporting = StoreExporter(location: location)
            services.actions.certificates = { CertificateReport.facts($0) }
            services.dataDirectory = name
            return LookedIntoFile(services, outcome: outcome, close: { store.remove() })
        } catch {
            store.remove()
            throw error
        }
    }

    private static func services(_ location: StoreLocation) -> WebServices {
        let news = location.newsWatch()
        var services = WebServices(
            openStore: { try location.reader(asksDaemon: false) },
            storeIdentity: { location.identity },
            waitForChange: { news.wait() }, now: { SystemClock.wallNow() })
        services.commitEnded = { location.commitEnded() }
        services.actions = .of(location)
        services.dataDirectory = location.directory.path
        services.version = ProgramVersion.number
        return services
    }

    /// Serves until a signal arrives.
    /// - Parameter tokenFile: The path of a file with the token; nil for a new one.
    func serve(opensBrowser: Bool, tokenFile: String?) throws {
        Signals.unblock()
        GlibcAllocator.saveMemory()
        let socket = try address.listen()
        let token = try tokenFile.map { try TokenFile(path: $0).token() } ?? WebToken.random()
        let port = socket.localAddress.port
        let access = WebAccess(
            port: port, address: shownHost, otherHosts: allowedHosts, token: token)
        let group = try EventLoopGroup(count: 1)
        let signals = ServeSignals(on: group.loops[0])
        guard let api = WebAPI(services) else {
            throw CommandFailure("the system refuses to start a thread (see ulimit -u)")
        }
        let server = try WebServer(socket: socket, site: api.site(access))
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

    private var shownHost: String { address.ip.contains(":") ? "[\(address.ip)]" : address.ip }
}

/// Keeps the daemon from forwarding requests to the page's own server, which a client of the proxy
/// could otherwise reach from where it cannot connect itself. Informs each daemon that starts.
final class AddressGuard: Sendable {
    private static let stackByteCount = 1 << 20
    /// The time between two attempts to find a daemon, in nanoseconds.
    private static let retryNs: Int64 = 500_000_000

    private let directory: DataDirectory
    private let ip: String
    private let port: UInt16
    private let isStopped = Mutex(false)
    private let pause = Semaphore()

    init(_ directory: DataDirectory, ip: String, port: UInt16) {
        self.directory = directory
        self.ip = ip
        self.port = port
    }

    /// Informs the running daemon, and starts the thread that informs later ones.
    func start() {
        let isTold = Semaphore()
        let isStarted = startDetachedThread(stackByteCount: AddressGuard.stackByteCount) {
            self.run { isTold.signal() }
        }
        if isStarted { isTold.wait() }
    }

    /// - Parameter onFirst: Called after the first attempt.
    private func run(onFirst: () -> Void) {
        var client = connect()
        onFirst()
        while !isStopped.withLock({ $0 }) {
            if let client {
                wait(while: client)
            } else {
                _ = pause.wait(forNs: AddressGuard.retryNs)
            }
            client = connect()
        }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        pause.signal()
    }

    /// A connection on which the address was announced, or nil if no daemon runs.
    private func connect() -> ControlClient? {
        do throws(ControlError) {
            let client = try ControlClient(dataDirectory: directory.path)
            try client.guardAddress(ip: ip, port: port)
            return client
        } catch {
            return nil
        }
    }

    /// Returns when the daemon has ended.
    private func wait(while client: ControlClient) {
        while !isStopped.withLock({ $0 }) {
            do throws(ControlError) {
                _ = try client.nextEvent(timeoutNs: AddressGuard.retryNs)
            } catch {
                return
            }
        }
    }
}

/// A file with a token that stays the same across restarts, for programs that know it.
struct TokenFile {
    /// As many characters as 256 random bits have in Base64.
    private static let characterCountMin = 43
    private static let byteCountMax = 1_024

    let path: String

    /// The token. A file that does not exist is created with a random one.
    func token() throws -> String {
        guard let text = try text() else {
            let token = WebToken.random()
            do throws(SystemError) {
                try FileDraft.write(Array((token + "\n").utf8), to: path)
            } catch {
                throw CommandFailure("--token-file: \(path): \(error)")
            }
            return token
        }
        let token = text.last == "\n" ? String(text.dropLast()) : text
        guard TokenFile.isToken(token) else {
            throw CommandFailure(
                "--token-file: \(path) must contain one line of at least "
                    + "\(TokenFile.characterCountMin) letters, digits, - or _")
        }
        return token
    }

    /// The content of the file, or nil if it does not exist.
    private func text() throws -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CommandFailure("--token-file: \(path): \(SystemError())")
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("--token-file: \(path) is not a file")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw CommandFailure("--token-file: other users can read \(path); run chmod 600 on it")
        }
        var bytes = [UInt8](repeating: 0, count: TokenFile.byteCountMax)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func isToken(_ text: String) -> Bool {
        text.utf8.count >= characterCountMin
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_".utf8.contains($0) }
    }
}

/// The user's browser.
enum Browser {
    /// Opens an address if there is a desktop. A browser that cannot be started is not an error:
    /// the address is printed, too.
    static func open(_ url: String) {
        let environment = Environment.current
        let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
            environment.variables[$0]?.isEmpty == false
        }
        guard isDesktop, let opener = environment.runner.find("xdg-open") else { return }
        _ = environment.runner.run(opener, [url])
    }
}
