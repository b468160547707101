internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProcessAttribution
internal import ProxydProxyEngine

/// Identifies the local program that opened a connection, for the engine.
final class ProgramIdentifier: ClientIdentifier {
    private let attributor = ProcessAttributor()

    func identify(
        client: SocketAddress, proxy: SocketAddress,
        completion: @escaping @Sendable (ConnectionRecord.ClientProcess?) -> Void
    ) {
        guard let far = TCPEndpoint(ip: client.ip, port: client.port),
            let near = TCPEndpoint(ip: proxy.ip, port: proxy.port)
        else { return completion(nil) }
        attributor.lookUp(client: far, local: near) { process in
            completion(
                process.map { ConnectionRecord.ClientProcess(pid: $0.pid, name: $0.name) })
        }
    }
}
