import Foundation
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

/// A socket that speaks whatever the test wants.
final class RawClient: Sendable {
    let descriptor: Int32

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard outcome == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// The next line; what there is at the end of the stream.
    func line() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != 0x0A { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads to the end; how many bytes that were.
    func drain() -> Int {
        var total = 0
        readToEnd { total += $0.count }
        return total
    }

    /// Reads to the end, piece by piece.
    func readToEnd(_ take: (ArraySlice<UInt8>) -> Void) {
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &room, room.count, 0)
            guard count > 0 else { return }
            take(room[..<count])
        }
    }

    /// Ends its side.
    func end() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits without reading until the other side is gone; false if it is not within some seconds.
    func waitForHangUp(seconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&watched, 1, seconds * 1_000) == 1
    }
}

extension ScratchFolder {
    var socketPath: String { path + "/control.sock" }
}
