internal import Capture
internal import ProxydControl
internal import ProxydEventLoops

/// The daemon that a launched program uses: the running one of a data directory, or one that exists
/// only meanwhile.
final class LaunchPoint {
    let program: ProxiedProgram
    /// The daemon as a phrase for users.
    let description: String
    private let folder: TemporaryFolder
    private let daemon: OwnDaemon?

    /// Finds or starts the daemon.
    init(_ directory: DataDirectory) throws {
        folder = try TemporaryFolder()
        if let address = try LaunchPoint.running(directory) {
            daemon = nil
            program = try ProxiedProgram(
                host: address.ip, port: address.port, directory, folder)
            description = "the running proxyd on \(address)"
        } else {
            let own = try OwnDaemon(directory, in: folder)
            daemon = own
            program = try ProxiedProgram(
                host: own.address.ip, port: own.address.port, directory, folder)
            description = "a proxyd of its own on \(own.address)"
        }
    }

    /// A folder that is removed when the program has ended.
    var folderPath: String { folder.path }

    /// Ends the daemon if it was started here.
    func end() {
        daemon?.stop()
        folder.remove()
    }

    /// The address of the running daemon; nil if none is running.
    private static func running(_ directory: DataDirectory) throws -> SocketAddress? {
        guard let client = try StoreWriter.daemon(directory) else { return nil }
        let status = try DaemonAccess.attempt { () throws(ControlError) in try client.status() }
        guard let address = status.proxyAddress.flatMap({ SocketAddress($0) }) else {
            throw CommandFailure("the daemon has no listener in mode proxy")
        }
        guard address.isUnspecified else { return address }
        return SocketAddress(
            ip: address.ip.contains(":") ? "::1" : "127.0.0.1", port: address.port)
    }
}
