import ClientLib
import Foundation
import ProxydTestSupport
import Testing

/// What many requests, and large ones, cost a process. Each in a process of its own, where nothing
/// else takes memory.
@Suite(.enabled(if: NginxServer.isInstalled, "nginx and openssl are installed"))
struct NginxLoadTests {
    @Test(arguments: [false, true])
    func `10000 requests, 64 at a time, are all answered and leak no memory`(
        isSecure: Bool
    ) async throws {
        let server = try await NginxServer.shared()
        let origin = isSecure ? server.secureURL : server.url
        await #expect(processExitsWith: .success) {
            [origin = origin as String, path = server.certificatePath as String] in
            let load = NginxLoad(url: origin, certificatePath: path, connectionCountMax: 8)
            await load.run(numbers: 0..<2_000, inFlight: 64)
            let settled = MemoryUse.resident
            await load.run(numbers: 2_000..<10_000, inFlight: 64)
            let grown = MemoryUse.resident - settled
            #expect(load.problems.all == [])
            #expect(load.answeredCount == 10_000)
            #expect(load.connectionCount <= 8)
            #expect(load.activeRequestCount == 0)
            #expect(grown < 16 << 20)
        }
    }

    @Test(arguments: [false, true])
    func `64 MiB are uploaded and downloaded without being kept in memory`(isSecure: Bool)
        async throws
    {
        let server = try await NginxServer.shared()
        let name = isSecure ? "secure.bin" : "large.bin"
        try server.serve(LargeBody.bytes, as: name)
        let origin = isSecure ? server.secureURL : server.url
        await #expect(processExitsWith: .success) {
            [
                origin = origin as String, path = server.certificatePath as String,
                name = name as String
            ] in
            var configuration = SessionConfiguration()
            configuration.trustedAuthorities = .files([path])
            let session = Session(configuration: configuration)
            _ = try await session.request(origin + "/number/1").serializingData().value
            let before = MemoryUse.peak
            var body = LargeBody()
            for try await piece in session.streamRequest("\(origin)/files/\(name)").streamingData()
            {
                body.take(piece)
            }
            #expect(body.isWhole)
            let stream = BodyStream(byteCount: LargeBody.byteCount) { LargeBodySource() }
            _ = try await session.upload(stream, to: "\(origin)/uploads/\(name)", method: .put)
                .validate().serializingResponse().value
            let file = try await session.download("\(origin)/files/uploads/\(name)").validate()
                .serializingDownloadedFileURL().value
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try LargeBody.isHeld(by: file))
            #expect(MemoryUse.peak - before < 24 << 20)
        }
    }
}
