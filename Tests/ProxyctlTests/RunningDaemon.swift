import ProxydControl
import ProxydEventLoops

/// A control socket that answers, on the data directory of a sample store.
final class RunningDaemon {
    let handler = LocalHandler()
    let server: ControlServer
    private let group: EventLoopGroup

    init(_ store: SampleStore) throws {
        group = try EventLoopGroup(count: 1)
        server = try ControlServer(
            dataDirectory: store.directoryPath, on: group.loops[0], handler: handler)
    }

    deinit {
        server.stop()
        group.shutdown()
    }
}
