import ClientLib
import Foundation
import Synchronization
import Testing

/// Where the blocks of Alamofire's documentation run: `AF` is a session of their own, and `base` a
/// server that answers everything.
final class BlockRun: Sendable {
    let AF: Session
    let base: String
    let scratch: URL
    private let failures = Mutex(0)

    init(base: String) throws {
        AF = Session()
        self.base = base
        scratch = FileManager.default.temporaryDirectory
            .appending(path: "blocks-\(UInt64.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: scratch) }

    /// Notes that something is as it should be, or is not.
    func keep(_ isRight: Bool) { if !isRight { failures.withLock { $0 += 1 } } }

    /// Whether everything was as it should be so far.
    var isRight: Bool { failures.withLock { $0 == 0 } }

    /// Starts a request to which its block attaches nothing.
    func start(_ request: some DataCollectingRequest) { request.response { _ in } }

    func url(_ path: String) throws -> URL { try #require(URL(string: base + path)) }

    func file(_ text: String) throws -> URL {
        let file = scratch.appending(path: "\(UInt64.random(in: 0...(.max)))")
        try Data(text.utf8).write(to: file)
        return file
    }

    /// Waits until the requests under way are over; those that failed.
    func failedRequests() async -> [any ClientRequest] {
        var all: [any ClientRequest] = []
        AF.withAllRequests { all = $0 }
        for request in all { for await _ in request.events {} }
        return all.filter { $0.error != nil }
    }
}
