import Foundation
import Testing

@testable import proxyd

/// The receiving end of sd_notify.
private final class NotifySocket {
    let descriptor: Int32
    let name: String

    init(isAbstract: Bool) throws {
        let unique = "proxyd-notify-\(UUID().uuidString)"
        name = isAbstract ? "@" + unique : "/tmp/" + unique
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let bytes = isAbstract ? [0] + Array(unique.utf8) : Array(name.utf8) + [0]
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let descriptor = descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(result == 0)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// A datagram that has been sent; nil where there is none.
    func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count >= 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}

struct ServiceManagerTests {
    @Test(arguments: [false, true])
    func `ready, status, watchdog and stopping notifications reach systemd's notify socket`(
        isAbstract: Bool
    ) throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": socket.name]))
        manager.notify(.ready, .status("listening\non 127.0.0.1:8080"))
        #expect(socket.receive() == "READY=1\nSTATUS=listeningon 127.0.0.1:8080")
        manager.notify(.watchdog)
        #expect(socket.receive() == "WATCHDOG=1")
        manager.notify(.stopping)
        #expect(socket.receive() == "STOPPING=1")
        #expect(socket.receive() == nil)
    }

    @Test func `the reload notification to systemd carries a monotonic timestamp`() throws {
        let socket = try NotifySocket(isAbstract: true)
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": socket.name]))
        let before = DispatchTime.now().uptimeNanoseconds / 1_000
        manager.notifyReloading()
        let lines = try #require(socket.receive()).split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let usec = try #require(lines.last?.split(separator: "=").last.flatMap { UInt64($0) })
        #expect(usec >= before)
    }

    @Test func `proxyd does not crash if systemd's notify socket is gone`() throws {
        var socket: NotifySocket? = try NotifySocket(isAbstract: false)
        let path = try #require(socket?.name)
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path]))
        socket = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        manager.notify(.ready)
        manager.notify(.stopping)
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"],
        ["NOTIFY_SOCKET": "/nonexistent/socket"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)],
    ])
    func `without a valid NOTIFY_SOCKET, proxyd does not notify systemd`(
        environment: [String: String]
    ) {
        #expect(ServiceManager(environment: environment) == nil)
    }

    @Test
    func `WATCHDOG_USEC sets the watchdog interval unless it is invalid or for another process`()
        throws
    {
        let socket = try NotifySocket(isAbstract: true)
        func interval(_ more: [String: String]) -> Int64? {
            ServiceManager(
                environment: more.merging(["NOTIFY_SOCKET": socket.name]) { first, _ in first },
                processID: 7
            )?.watchdogIntervalNs
        }
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == 30_000_000_000)
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == 30_000_000_000)
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "99999999999999999"]) == nil)
        #expect(interval([:]) == nil)
    }
}
