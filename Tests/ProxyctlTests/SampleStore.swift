import Capture
import Foundation
import ProxydHTTPModel
import ProxydTestSupport
@testable import proxyctl

/// A data directory with exchanges in it, and runs of the program on it.
final class SampleStore {
    let scratch: ScratchFolder
    var directory: DataDirectory { DataDirectory(path: scratch.path + "/data") }

    var directoryPath: String { directory.path }

    /// `record` records more, behind the exchanges.
    init(
        _ exchanges: [Exchange] = SampleExchange.all, record: (Recorder) -> Void = { _ in }
    ) throws {
        scratch = try ScratchFolder()
        let recorder = try Recorder(directory: directory)
        defer { recorder.stop() }
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }
        record(recorder)
    }

    func run(
        _ arguments: String..., columns: Int? = nil, environment: [String: String] = [:]
    ) -> CommandRun {
        CommandRun(
            ["--data-dir", directory.path] + arguments, columns: columns,
            environment: environment)
    }

    /// What a run printed, as JSON objects, one a line.
    func objects(_ run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return value as? [String: Any] ?? [:]
        }
    }
}
