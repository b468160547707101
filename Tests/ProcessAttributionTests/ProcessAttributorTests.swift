import Glibc
import Synchronization
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

    @Test func `several connections opened by one process are all attributed to that process`()
        async throws
    {
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
        let connection = try LoopbackConnection(family: AF_INET, ip: "127.0.0.1")
        let six = try #require(TCPEndpoint(ip: "::1", port: connection.server.port))
        let attributor = ProcessAttributor()
        #expect(await lookUp(attributor, connection.client, six) == nil)
        #expect(await lookUp(attributor, connection.client, connection.server) != nil)
        withExtendedLifetime(connection) {}
    }

    @Test
    func `process look-ups beyond the queue limit immediately return no process`() throws {
        let connection = try LoopbackConnection(family: AF_INET, ip: "127.0.0.1")
        let answers = Answers()
        ProcessAttributor(waitingCountMax: 0)
            .lookUp(client: connection.client, local: connection.server) { answers.add($0) }
        #expect(answers.all == [nil])
        withExtendedLifetime(connection) {}
    }

    /// What look-ups have answered so far.
    private final class Answers: Sendable {
        private let state = Mutex<[LocalProcess?]>([])
        var all: [LocalProcess?] { state.withLock { $0 } }

        func add(_ answer: LocalProcess?) { state.withLock { $0.append(answer) } }
    }

    @Test func `the kernel's sock_diag interface returns the client's end of a connection`() throws
    {
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
