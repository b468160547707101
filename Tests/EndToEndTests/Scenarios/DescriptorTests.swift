import Foundation
import Testing

/// More clients than descriptors: nothing spins, nothing breaks, and it passes.
struct DescriptorTests {
    @Test
    func `with 64 descriptors and 200 clients, proxyd does not busy-loop or crash, and recovers`()
        throws
    {
        let rig = try LoadRig()
        let proxy = try Daemon(
            trusting: rig.certificate,
            launcher: ["/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"])
        _ = try rig.send(0..<20, through: proxy, ["--connections", "2"])
        var crowd: [RawClient] = []
        for number in 0..<200 {
            let client = try RawClient(port: proxy.port)
            client.send("GET \(rig.url("/crowd/\(number)")) HTTP/1.1\r\nHost: x\r\n\r\n")
            crowd.append(client)
        }
        try rig.expectNoSpin(proxy)
        #expect(proxy.service.isRunning)
        crowd = []
        // A client that comes while there is no room yet may be sent away.
        let outcome = try proxy.curl(
            "--retry", "50", "--retry-delay", "1", "--retry-all-errors", "--fail",
            rig.url("/after"))
        #expect(outcome.text == "ok", "\(outcome.errors)")
        // One that got through says nothing of the crowd's last ones, which are still in the way.
        try proxy.settleClients()
        let sent = try rig.send(20..<120, through: proxy, ["--connections", "4"])
        #expect(sent.int("done") == 100, "\(sent.object)")
        try proxy.settle()
        #expect(try rig.check(20..<120, in: proxy).int("wrong_count") == 0)
        #expect(try rig.check(20..<120, in: proxy).text("integrity") == "ok")
    }

    @Test func `the limit on client connections applies to all event loops together`() throws {
        let origin = try Origin()
        let proxy = try Daemon(
            configuration: """
                [limits]
                client_connection_count_max = 5
                [threads]
                loop_count = 4
                """)
        let clients = try (0..<40).map { _ in try RawClient(port: proxy.port) }
        for client in clients {
            client.send("GET \(origin.url("/")) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        let answered = clients.filter { (try? $0.read(until: "\r\n\r\n")) != nil }
        #expect(answered.count == 5)
    }
}
