import Capture
import ClientLib
import ProxydCaptureModel
import ProxydFilter

/// Sends the requests again that failed since yesterday, with one header changed, and compares.
///
/// `ReplayFailures DATA-DIRECTORY HEADER=VALUE [FILTER]`, such as
/// `ReplayFailures ~/.local/share/proxyd 'Authorization=Bearer new-token' 'host:api.test'`.
/// The store is only read, so that proxyd may go on recording into it.
@main
struct ReplayFailures {
    static func main() async throws {
        try await replay(Array(CommandLine.arguments.dropFirst()))
    }

    /// Off the main actor, which has nothing to do with it.
    nonisolated static func replay(_ arguments: [String]) async throws {
        guard arguments.count >= 2 else { throw Usage() }
        let edit = try ReplayEdit(setting: "header:" + arguments[1])
        var text = "time>=-24h (status>=500 or state=failed)"
        if arguments.count > 2 { text += " (\(arguments[2]))" }

        let reader = try StoreReader(directory: DataDirectory(path: arguments[0]))
        let failures = try Failures(reader, Filter.parse(text))
        let session = Session()
        defer { session.shutdown() }

        var plan = ReplayPlan()
        plan.edits = [edit]
        plan.concurrency = 4
        var (mendedCount, count) = (0, 0)
        try await ReplayRun(session, plan: plan).run(failures) { result in
            count += 1
            let before = result.original.status.map(String.init) ?? "failed"
            let after = result.replay?.status.map(String.init) ?? result.error?.message ?? "failed"
            print("\(result.originalID.rawValue): \(before) -> \(after), body \(result.body)")
            if let status = result.replay?.status, status < 400 { mendedCount += 1 }
            return true
        }
        print("\(mendedCount) of \(count) went well this time")
    }

    /// What the filter selects, oldest first; one exchange at a time is in memory.
    struct Failures: ReplaySource {
        private let reader: StoreReader
        private var rest: ArraySlice<ExchangeRow> = []

        init(_ reader: StoreReader, _ filter: Filter) throws {
            self.reader = reader
            rest = try reader.rows(matching: filter, .oldest, limit: 100_000)[...]
        }

        mutating func next() throws -> Exchange? {
            while let row = rest.popFirst() {
                if let captured = try reader.captured(row) { return captured.exchange }
            }
            return nil
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "usage: ReplayFailures DATA-DIRECTORY HEADER=VALUE [FILTER]"
    }
}
