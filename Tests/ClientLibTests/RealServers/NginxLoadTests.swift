import ClientLib
import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Synchronization
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

/// Many requests through one session, each asking for a number of its own.
final class NginxLoad: Sendable {
    /// What was not as it should be.
    let problems = Collector<String>()
    private let session: Session
    private let url: String
    private let answered = Mutex<Set<Int>>([])
    private let next = Atomic<Int>(0)
    private let connections = Mutex<Set<String>>([])

    init(url: String, certificatePath: String, connectionCountMax: Int) {
        self.url = url
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = connectionCountMax
        configuration.trustedAuthorities = .files([certificatePath])
        session = Session(configuration: configuration)
    }

    var answeredCount: Int { answered.withLock(\.count) }
    var connectionCount: Int { connections.withLock(\.count) }
    /// Requests that the session still knows of.
    var activeRequestCount: Int {
        var count = 0
        session.withAllRequests { count = $0.count }
        return count
    }

    func run(numbers: Range<Int>, inFlight: Int) async {
        next.store(numbers.lowerBound, ordering: .relaxed)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    while true {
                        let number = self.next.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard number < numbers.upperBound else { return }
                        await self.ask(number)
                    }
                }
            }
        }
    }

    private func ask(_ number: Int) async {
        let response = await session.request("\(url)/number/\(number)").serializingString().response
        guard response.value == "\(number)", let head = response.response else {
            return problems.add("\(number): \(response.result)")
        }
        if let connection = head.fields["X-Connection"] {
            _ = connections.withLock { $0.insert(connection) }
        }
        if !answered.withLock({ $0.insert(number).inserted }) { problems.add("\(number) twice") }
    }
}

/// 64 MiB of one block, repeated; looked at piece by piece.
struct LargeBody {
    static let blockCount = 1_024
    static let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    static let byteCount = Int64(blockCount * block.count)
    /// All of it.
    static var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blockCount * block.count)
        for _ in 0..<blockCount { bytes.append(contentsOf: block) }
        return bytes
    }
    /// Every piece that begins in a block lies in two.
    private static let twice = block + block

    private var count = 0
    private var isRight = true

    var isWhole: Bool { isRight && count == LargeBody.byteCount }

    mutating func take(_ piece: some Collection<UInt8> & ContiguousBytes) {
        piece.withUnsafeBytes { bytes in
            LargeBody.twice.withUnsafeBytes { expected in
                var offset = 0
                while offset < bytes.count, isRight {
                    let start = (count + offset) % LargeBody.block.count
                    let length = min(bytes.count - offset, LargeBody.block.count)
                    guard let seen = bytes.baseAddress, let wanted = expected.baseAddress else {
                        return
                    }
                    isRight = memcmp(seen + offset, wanted + start, length) == 0
                    offset += length
                }
            }
        }
        count += piece.count
    }

    /// Whether a file has it, and nothing else.
    static func isHeld(by file: URL) throws -> Bool {
        let handle = try FileHandle(forReadingFrom: file)
        var body = LargeBody()
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty { body.take(piece) }
        return body.isWhole
    }
}

/// The body, block by block.
struct LargeBodySource: BodySource {
    private var count = 0

    mutating func next() async -> [UInt8]? {
        guard count < LargeBody.blockCount else { return nil }
        count += 1
        return LargeBody.block
    }
}

/// Memory of this process, in bytes.
enum MemoryUse {
    /// What is resident now.
    static var resident: Int { value(of: "VmRSS:") }
    /// The most that was ever resident.
    static var peak: Int { value(of: "VmHWM:") }

    private static func value(of key: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 } ?? 0
    }
}
