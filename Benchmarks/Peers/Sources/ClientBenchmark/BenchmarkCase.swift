internal import Foundation

/// One kind of request, and how often it is made.
struct BenchmarkCase: Sendable {
    /// Sends a request, and gives the number of bytes of its response's body.
    typealias Sender = @Sendable (_ url: String, _ body: [UInt8]?) async throws -> Int

    /// Requests under way at the same time.
    static let inFlightCount = 64

    static let all = [
        BenchmarkCase(getCount: 6_400),
        BenchmarkCase(
            name: "POST of 100 bytes", path: "/number/1",
            body: Array(repeating: 0x61, count: 100), requestCount: 6_400),
        BenchmarkCase(name: "GET of 1 MiB", path: "/files/mebibyte", body: nil, requestCount: 320),
    ]

    let name: String
    private let path: String
    private let body: [UInt8]?
    private let requestCount: Int

    private init(name: String, path: String, body: [UInt8]?, requestCount: Int) {
        self.name = name
        self.path = path
        self.body = body
        self.requestCount = requestCount
    }

    init(getCount: Int) {
        self.init(
            name: "GET of 1 byte", path: "/number/1", body: nil, requestCount: getCount)
    }

    /// Sends them all; gives the processor time of one.
    func microsecondsPerRequest(
        to origin: String, _ send: @escaping Sender
    ) async throws -> Double {
        let url = origin + path
        let wanted = requestCount / BenchmarkCase.inFlightCount
        let before = BenchmarkCase.processorMicroseconds()
        let received = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<BenchmarkCase.inFlightCount {
                group.addTask {
                    var received = 0
                    for _ in 0..<wanted { received += try await send(url, body) }
                    return received
                }
            }
            return try await group.reduce(0, +)
        }
        let spent = BenchmarkCase.processorMicroseconds() - before
        let count = wanted * BenchmarkCase.inFlightCount
        guard received >= count else { throw ShortResponse() }
        return spent / Double(count)
    }

    /// User and system time of all threads.
    private static func processorMicroseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

/// A response was not what the server was asked for.
struct ShortResponse: Error {}
