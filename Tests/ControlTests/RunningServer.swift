import ProxydControl
import ProxydEventLoops
import ProxydTestSupport

/// A control server on a loop of its own, stopped when the test lets go of it.
final class RunningServer {
    let directory: ScratchFolder
    let handler: FakeHandler
    let server: ControlServer
    private let group: EventLoopGroup

    init(handler: FakeHandler = FakeHandler(), directory: ScratchFolder? = nil) throws {
        let directory = try directory ?? ScratchFolder()
        let group = try EventLoopGroup(count: 1)
        do {
            server = try ControlServer(
                dataDirectory: directory.path, on: group.loops[0], handler: handler)
        } catch {
            group.shutdown()
            throw error
        }
        self.directory = directory
        self.handler = handler
        self.group = group
    }

    deinit {
        server.stop()
        group.shutdown()
    }

    func client(timeoutNs: Int64 = 10_000_000_000) throws -> ControlClient {
        try ControlClient(dataDirectory: directory.path, timeoutNs: timeoutNs)
    }
}
