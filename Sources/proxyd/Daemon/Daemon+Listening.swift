internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydHTTPWire
internal import ProxydProcessAttribution
internal import ProxydProxyEngine
internal import ProxydTLS
internal import Glibc
internal import Logging
internal import Synchronization

/// The sockets to which clients connect.
extension Daemon {
    func listen() throws -> [ServedSocket] {
        let listen = configuration.withLock { $0.listen }
        var served: [ServedSocket] = []
        for inherited in InheritedSocket.all(environment: environment.variables) {
            let socket = try ListeningSocket(adopting: inherited.descriptor)
            served.append(
                ServedSocket(
                    socket: socket,
                    listener: listen.listeners.first { $0.options.name == inherited.name }
                        ?? listen.listeners.first { $0.isAt(socket.localAddress) }))
        }
        for variable in InheritedSocket.variables { unsetenv(variable) }
        // Sockets from the service manager replace `listen.addresses`, but not listener tables.
        let taken = served.compactMap(\.listener?.name)
        for listener in served.isEmpty ? listen.listeners : listen.tableListeners
        where !taken.contains(listener.name) {
            served.append(ServedSocket(socket: try self.listen(on: listener), listener: listener))
        }
        try refuseOpenProxy(served)
        warnOfPasswordsInTheClear(served, listen)
        for one in served {
            let listener = try one.listener.map { try ServedListener($0, certificates) }
            engine.serve(one.socket, as: listener ?? ServedListener(name: one.name))
        }
        return served
    }

    /// A socket from the service manager may be reachable from outside; the configuration must say
    /// which clients may use it.
    private func refuseOpenProxy(_ served: [ServedSocket]) throws {
        for one in served where !one.socket.localAddress.isLoopback {
            let access = access.withLock { $0[one.name] }
            guard access.networks.isEmpty else { continue }
            throw StartFailure(
                message: "\(one.socket.localAddress) can be reached by other machines: "
                    + "set listen.allowed_client_networks to the networks that may use the proxy")
        }
    }

    private func warnOfPasswordsInTheClear(
        _ served: [ServedSocket], _ listen: Configuration.Listen
    ) {
        for one in served where !one.socket.localAddress.isLoopback {
            // A socket from the service manager may have no listener in the configuration.
            let file = one.listener.map(\.options.usersFile) ?? listen.usersFile
            guard file != nil else { continue }
            logger.warning(
                """
                \(one.socket.localAddress) asks other machines for passwords, which they send in \
                the clear: anyone who can read that traffic can use them
                """)
        }
    }

    func listen(on listener: Configuration.Listener) throws -> ListeningSocket {
        let wanted = listener.address
        guard let address = SocketAddress(ip: wanted.ip, port: wanted.port) else {
            throw StartFailure(message: "\(wanted.text) is not an address to listen on")
        }
        do {
            return try ListeningSocket(address: address, isTransparent: listener.options.usesTPROXY)
        } catch {
            if listener.options.usesTPROXY, error.kind == .notPermitted {
                throw StartFailure(
                    message: "\(address) with tproxy needs the capability CAP_NET_ADMIN: see "
                        + "docs/MODES.md")
            }
            let hint = hint(error, wanted)
            throw StartFailure(message: "cannot listen on \(address): \(error)\(hint)")
        }
    }

    /// What can be done about a failure to listen; empty if nothing is known to help.
    private func hint(_ error: StreamError, _ wanted: ListenAddress) -> String {
        switch error.errorNumber {
        case EADDRINUSE:
            let owner = listeningProgram(ip: wanted.ip, port: wanted.port)
            return (owner.map { " by \($0.name), process \($0.pid)" } ?? "")
                + "; choose another port, or any free one with --listen 127.0.0.1:0"
        case EACCES where wanted.port < 1_024:
            return "; ports below 1024 need the drop-in proxyd.service.d/low-ports.conf or "
                + "proxyd.socket: see docs/MODES.md"
        default: return ""
        }
    }

    /// The program that listens on an address already; nil if it is not known.
    private func listeningProgram(ip: String, port: UInt16) -> LocalProcess? {
        // A listener has no peer.
        guard let local = TCPEndpoint(ip: ip, port: port),
            let peer = TCPEndpoint(ip: ip.contains(":") ? "::" : "0.0.0.0", port: 0),
            let answer = try? ProgramAnswer()
        else { return nil }
        ProcessAttributor().lookUp(client: local, local: peer) { answer.give($0) }
        return answer.wait()
    }

    /// Writes to standard output immediately: the parent process may wait for this line.
    func announce(_ line: String) {
        let text = line + "\n"
        _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
    }
}

/// The answer of a look-up on another thread.
private final class ProgramAnswer: Sendable {
    private let program = Mutex<LocalProcess?>(nil)
    private let given: Latch

    init() throws { given = try Latch() }

    func give(_ found: LocalProcess?) {
        program.withLock { $0 = found }
        given.open()
    }

    func wait() -> LocalProcess? {
        given.wait()
        return program.withLock { $0 }
    }
}

extension ServedListener {
    /// A listener of the configuration. Throws if a certificate cannot be used.
    init(_ listener: Configuration.Listener, _ certificates: ReverseCertificates) throws {
        let mode: ListenerMode
        switch listener.mode {
        case .proxy: mode = .proxy
        case .socks: mode = .socks
        case .transparent: mode = .transparent
        case .reverse(let route):
            mode = .reverse(try ReverseService(route, at: listener.address, certificates))
        }
        self.init(
            name: listener.name, mode: mode,
            expectsPROXYHeader: listener.options.expectsPROXYHeader)
    }
}

extension ReverseService {
    fileprivate convenience init(
        _ route: ReverseRoute, at address: ListenAddress, _ certificates: ReverseCertificates
    ) throws {
        var names = [address.ip]
        if address.isLoopback { names.append("localhost") }
        let clientTLS: ClientTLS
        switch route.clientTLS {
        case nil: clientTLS = .none
        case .authority(let own):
            names += own
            clientTLS = .authority(name: own.first)
        case .files(let certificate, let key):
            clientTLS = .certificate(try certificates.source(certificate: certificate, key: key))
        }
        let hostField: HostField
        switch route.hostField {
        case .change: hostField = .change
        case .keep: hostField = .keep
        case .name(let name): hostField = .name(name)
        }
        self.init(
            server: ReplacedServer(
                scheme: route.server.isSecure ? "https" : "http", host: route.server.host,
                port: route.server.port, prefix: route.server.prefix, names: names),
            hostField: hostField, rewritesBack: route.rewritesBack,
            rewritesRequests: route.rewritesRequests, clientTLS: clientTLS,
            headerVersion: route.headerVersion.flatMap(PROXYVersion.init))
    }
}

/// The certificates configured for reverse listeners, which a reload reads again.
final class ReverseCertificates: Sendable {
    private struct Files: Hashable {
        let certificate: String
        let key: String
    }

    private let contexts = Mutex<[Files: TLSServerContext]>([:])

    /// Reads a certificate; returns a function that returns the one in use.
    func source(certificate: String, key: String) throws -> @Sendable () -> TLSServerContext {
        let files = Files(certificate: certificate, key: key)
        let first = try ReverseCertificate.load(certificate: certificate, key: key)
        contexts.withLock { $0[files] = first }
        return { self.contexts.withLock { $0[files] } ?? first }
    }

    /// Reads all certificates again; returns what is wrong with those that stay as they were.
    func reload() -> [String] {
        let known = contexts.withLock { Array($0.keys) }
        var problems: [String] = []
        for files in known {
            do throws(ConfigurationValueError) {
                let context = try ReverseCertificate.load(
                    certificate: files.certificate, key: files.key)
                contexts.withLock { $0[files] = context }
            } catch {
                problems.append(error.message)
            }
        }
        return problems
    }
}
