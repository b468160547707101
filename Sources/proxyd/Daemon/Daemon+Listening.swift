internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import Glibc
internal import Logging
internal import ProxydProxyEngine
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
            served.append(
                ServedSocket(socket: try self.listen(on: listener), listener: listener))
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
            return try ListeningSocket(
                address: address, isTransparent: listener.options.usesTPROXY)
        } catch {
            if listener.options.usesTPROXY, error.kind == .notPermitted {
                throw StartFailure(
                    message: "\(address) with tproxy needs the capability CAP_NET_ADMIN: see "
                        + "docs/MODES.md")
            }
            throw StartFailure(message: "cannot listen on \(address): \(error)")
        }
    }

    /// Writes to standard output immediately, because the parent process may be waiting for this
    /// line.
    func announce(_ line: String) {
        let text = line + "\n"
        _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
    }
}
