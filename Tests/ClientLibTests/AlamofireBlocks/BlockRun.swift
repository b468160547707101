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

extension BlockRun {
    /// Every block that can be run, by the name of its function.
    static let all: [(name: String, run: @Sendable (BlockRun) async throws -> Void)] = [
        ("advanced36", { $0.advanced36() }),
        ("advanced37", { await $0.advanced37() }),
        ("advanced38", { await $0.advanced38() }),
        ("advanced40", { $0.advanced40() }),
        ("advanced42", { $0.advanced42() }),
        ("advanced43", { $0.advanced43() }),
        ("advanced44", { $0.advanced44() }),
        ("advanced45", { try await $0.advanced45() }),
        ("advanced46", { $0.advanced46() }),
        ("advanced47", { $0.advanced47() }),
        ("advanced48", { $0.advanced48() }),
        ("advanced49", { $0.advanced49() }),
        ("advanced60", { try $0.advanced60() }),
        ("advanced61", { try $0.advanced61() }),
        ("advanced62", { $0.advanced62() }),
        ("advanced63", { $0.advanced63() }),
        ("advanced64", { $0.advanced64() }),
        ("advanced66", { $0.advanced66() }),
        ("advanced67", { $0.advanced67() }),
        ("advanced68", { $0.advanced68() }),
        ("advanced69", { await $0.advanced69() }),
        ("advanced78", { try await $0.advanced78() }),
        ("advanced79", { try await $0.advanced79() }),
        ("advanced80", { await $0.advanced80() }),
        ("advanced81", { await $0.advanced81() }),
        ("advanced82", { try await $0.advanced82() }),
        ("advanced83", { await $0.advanced83() }),
        ("advanced84", { await $0.advanced84() }),
        ("advanced87", { await $0.advanced87() }),
        ("advanced1", { $0.advanced1() }),
        ("advanced2", { $0.advanced2() }),
        ("advanced6", { $0.advanced6() }),
        ("advanced8", { $0.advanced8() }),
        ("advanced10", { $0.advanced10() }),
        ("advanced13", { $0.advanced13() }),
        ("advanced14", { await $0.advanced14() }),
        ("advanced16", { $0.advanced16() }),
        ("advanced17", { $0.advanced17() }),
        ("advanced18", { $0.advanced18() }),
        ("advanced20", { $0.advanced20() }),
        ("advanced21", { $0.advanced21() }),
        ("advanced22", { $0.advanced22() }),
        ("advanced24", { $0.advanced24() }),
        ("advanced25", { $0.advanced25() }),
        ("advanced26", { $0.advanced26() }),
        ("advanced27", { $0.advanced27() }),
        ("advanced28", { await $0.advanced28() }),
        ("advanced29", { $0.advanced29() }),
        ("advanced30", { $0.advanced30() }),
        ("advanced31", { $0.advanced31() }),
        ("advanced34", { $0.advanced34() }),
        ("advanced35", { $0.advanced35() }),
        ("readme1Instead", { await $0.readme1Instead() }),
        ("usage2Instead", { $0.usage2Instead() }),
        ("usage3Instead", { try $0.usage3Instead() }),
        ("usage9Instead", { $0.usage9Instead() }),
        ("usage31Instead", { $0.usage31Instead() }),
        ("usage46Instead", { await $0.usage46Instead() }),
        ("usage61Instead", { try await $0.usage61Instead() }),
        ("advanced3Instead", { $0.advanced3Instead() }),
        ("advanced4Instead", { $0.advanced4Instead() }),
        ("advanced9Instead", { try $0.advanced9Instead() }),
        ("advanced12Instead", { $0.advanced12Instead() }),
        ("advanced23Instead", { $0.advanced23Instead() }),
        ("advanced39Instead", { $0.advanced39Instead() }),
        ("advanced51Instead", { $0.advanced51Instead() }),
        ("advanced57Instead", { $0.advanced57Instead() }),
        ("advanced59", { $0.advanced59() }),
        ("advanced88Instead", { $0.advanced88Instead() }),
        ("usage51", { $0.usage51() }),
        ("usage52", { $0.usage52() }),
        ("usage53", { $0.usage53() }),
        ("usage54", { $0.usage54() }),
        ("usage55", { $0.usage55() }),
        ("usage56", { $0.usage56() }),
        ("usage57", { $0.usage57() }),
        ("usage58", { $0.usage58() }),
        ("usage59", { $0.usage59() }),
        ("usage62", { $0.usage62() }),
        ("usage63", { $0.usage63() }),
        ("usage64", { $0.usage64() }),
        ("usage65", { $0.usage65() }),
        ("advanced32", { $0.advanced32() }),
        ("advanced33", { $0.advanced33() }),
        ("advanced71", { $0.advanced71() }),
        ("advanced72", { $0.advanced72() }),
        ("advanced73", { $0.advanced73() }),
        ("advanced85", { await $0.advanced85() }),
        ("advanced86", { await $0.advanced86() }),
        ("usage1", { $0.usage1() }),
        ("usage4", { $0.usage4() }),
        ("usage5", { try $0.usage5() }),
        ("usage6", { $0.usage6() }),
        ("usage7", { $0.usage7() }),
        ("usage8", { $0.usage8() }),
        ("usage10", { $0.usage10() }),
        ("usage11", { $0.usage11() }),
        ("usage12", { $0.usage12() }),
        ("usage13", { try $0.usage13() }),
        ("usage14", { try $0.usage14() }),
        ("usage15", { try $0.usage15() }),
        ("usage16", { try $0.usage16() }),
        ("usage17", { try $0.usage17() }),
        ("usage18", { try $0.usage18() }),
        ("usage19", { try $0.usage19() }),
        ("usage20", { try $0.usage20() }),
        ("usage21", { try $0.usage21() }),
        ("usage22", { try $0.usage22() }),
        ("usage23", { $0.usage23() }),
        ("usage24", { try $0.usage24() }),
        ("usage25", { try $0.usage25() }),
        ("usage26", { $0.usage26() }),
        ("usage27", { $0.usage27() }),
        ("usage28", { $0.usage28() }),
        ("usage29", { $0.usage29() }),
        ("usage30", { $0.usage30() }),
        ("usage32", { $0.usage32() }),
        ("usage33", { $0.usage33() }),
        ("usage34", { $0.usage34() }),
        ("usage35", { $0.usage35() }),
        ("usage36", { $0.usage36() }),
        ("usage37", { $0.usage37() }),
        ("usage38", { $0.usage38() }),
        ("usage39", { $0.usage39() }),
        ("usage40", { $0.usage40() }),
        ("usage41", { $0.usage41() }),
        ("usage42", { $0.usage42() }),
        ("usage43", { $0.usage43() }),
        ("usage44", { $0.usage44() }),
        ("usage45", { $0.usage45() }),
        ("usage47", { $0.usage47() }),
        ("usage48", { try $0.usage48() }),
        ("usage49", { $0.usage49() }),
        ("usage50", { try $0.usage50() }),
        ("usage66", { $0.usage66() }),
        ("usage67", { $0.usage67() }),
    ]
}
