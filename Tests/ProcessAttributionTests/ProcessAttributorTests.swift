import Glibc
import Testing

@testable import ProxydProcessAttribution

struct ProcessAttributorTests {
    @Test func `the process that opened an IPv4 connection is found`() async throws {
        try await expectOwnProcess(family: AF_INET, ip: "127.0.0.1")
    }

    @Test(
        .enabled(if: LoopbackConnection.hasIPv6, "this machine has no IPv6 loopback address"),
        arguments: ["::1", "::ffff:127.0.0.1"]
    )
    func `the process that opened an IPv6 connection is found`(ip: String) async throws {
        try await expectOwnProcess(family: AF_INET6, ip: ip)
    }

    @Test func `further connections of the same process are also attributed to it`() async throws {
        let attributor = ProcessAttributor()
        for _ in 0..<3 {
            let connection = try LoopbackConnection(family: AF_INET, ip: "127.0.0.1")
            let found = await lookUp(attributor, connection.client, connection.server)
            #expect(found?.pid == getpid())
        }
    }

    @Test func `no process is found for a closed connection`() async throws {
        let connection = try LoopbackConnection(family: AF_INET, ip: "127.0.0.1")
        connection.closeAll()
        #expect(await lookUp(ProcessAttributor(), connection.client, connection.server) == nil)
    }

    @Test func `a listening socket is not mistaken for the client's socket`() async throws {
        let connection = try LoopbackConnection(family: AF_INET, ip: "127.0.0.1")
        let nobody = try #require(TCPEndpoint(ip: "127.0.0.1", port: 1))
        #expect(await lookUp(ProcessAttributor(), connection.server, nobody) == nil)
        withExtendedLifetime(connection) {}
    }

    @Test func `no process is found for an IPv4 client address with an IPv6 server address`()
        async throws
    {
        let four = try #require(TCPEndpoint(ip: "127.0.0.1", port: 1))
        let six = try #require(TCPEndpoint(ip: "::1", port: 1))
        #expect(await lookUp(ProcessAttributor(), four, six) == nil)
    }

    @Test
    func `process look-ups beyond the queue limit immediately return no process`()
        async throws
    {
        let endpoint = try #require(TCPEndpoint(ip: "127.0.0.1", port: 1))
        let attributor = ProcessAttributor(waitingCountMax: 0)
        #expect(await lookUp(attributor, endpoint, endpoint) == nil)
    }

    @Test func `the kernel's socket diagnosis returns the client's own socket`() throws {
        let connection = try LoopbackConnection(family: AF_INET, ip: "127.0.0.1")
        let diagnosis = try #require(SocketDiagnosis())
        let socket = diagnosis.socket(local: connection.client, remote: connection.server)
        #expect(socket?.inode == UInt32(truncatingIfNeeded: connection.clientInode))
        #expect(socket?.uid == geteuid())
    }

    @Test func `a TCP endpoint cannot be created from text that is not an IP address`() {
        #expect(TCPEndpoint(ip: "localhost", port: 1) == nil)
        #expect(TCPEndpoint(ip: "", port: 1) == nil)
    }

    private func expectOwnProcess(family: Int32, ip: String) async throws {
        let connection = try LoopbackConnection(family: family, ip: ip)
        let found = await lookUp(ProcessAttributor(), connection.client, connection.server)
        #expect(found?.pid == getpid())
        #expect(found?.name.isEmpty == false)
        withExtendedLifetime(connection) {}
    }

    private func lookUp(
        _ attributor: ProcessAttributor,
        _ client: TCPEndpoint,
        _ local: TCPEndpoint
    ) async -> LocalProcess? {
        await withCheckedContinuation { continuation in
            attributor.lookUp(client: client, local: local) { continuation.resume(returning: $0) }
        }
    }
}
