import Capture
import Foundation
import ProxydCentralStore
import ProxydPostgresLink
import ProxydStoreTestSupport
import ProxydTestSupport

/// The schema of a team, made by `proxyship init`, and what is delivered into it.
final class Team: Sendable {
    let name: String
    let cluster: PostgresCluster
    private let scratch: ScratchFolder

    init() throws {
        name = "t" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12)
        cluster = try PostgresCluster.shared()
        scratch = try ScratchFolder()
        let made = try Tool.run(
            Tool.built("proxyship"), ["init", "--team", name, "--store", cluster.database])
        guard made.status == 0 else { throw Tool.Failure(description: made.errors) }
    }

    /// Where it is.
    var location: String { cluster.location(name) }

    /// The path of a configuration that delivers a store.
    func configuration(
        _ store: TemporaryStore, as shipper: String = "ci-1", _ more: String = "redact = false",
        location: String? = nil
    ) throws -> String {
        try configuration(
            directory: store.directory.path, as: shipper, more, location: location)
    }

    private func configuration(
        directory: String, as shipper: String, _ more: String, location: String?
    ) throws -> String {
        try scratch.write(
            "\(shipper)-\(UUID().uuidString).toml",
            """
            data_dir = "\(directory)"
            [shipping]
            store = "\(location ?? self.location)"
            name = "\(shipper)"
            \(more)
            """)
    }

    /// Delivers everything in a store.
    @discardableResult
    func deliver(
        _ store: TemporaryStore, as shipper: String = "ci-1", _ more: String = "redact = false",
        flags: [String] = []
    ) throws -> Tool.Outcome {
        try deliver(directory: store.directory.path, as: shipper, more, flags: flags)
    }

    /// Delivers everything in the store of a data directory.
    @discardableResult
    func deliver(
        directory: String, as shipper: String = "ci-1", _ more: String = "redact = false",
        flags: [String] = []
    ) throws -> Tool.Outcome {
        let file = try configuration(directory: directory, as: shipper, more, location: nil)
        let outcome = try Tool.run(
            Tool.built("proxyship"), ["--config", file, "--once"] + flags, seconds: 300)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        return outcome
    }

    /// Runs proxyctl on it.
    func proxyctl(_ arguments: [String]) throws -> Tool.Outcome {
        try Tool.run(Tool.built("proxyctl"), ["--store", location] + arguments, seconds: 120)
    }

    /// What a statement returns, with the team's schema in the search path.
    @discardableResult
    func sql(_ statement: String) throws -> [String] {
        try cluster.sql("SET search_path = \(name); \(statement)")
    }

    /// Reads it in this process.
    func reader() throws -> CentralReader {
        let location = location
        return CentralReader(
            CentralLink { () throws(CentralError) in
                try PostgresConnection(PostgresLocation(location), program: "tests")
            })
    }
}

/// A shipper that runs until it is ended.
struct RunningShipper {
    let process: ChildProcess
    /// Its configuration.
    let file: String
    private let log: String

    /// Delivers a store without redaction, as `ci-1`.
    init(_ store: TemporaryStore, _ location: String, _ scratch: ScratchFolder) throws {
        let file = try scratch.write(
            "ship.toml",
            """
            data_dir = "\(store.directory.path)"
            [shipping]
            store = "\(location)"
            name = "ci-1"
            redact = false
            """)
        try self.init(file, scratch)
    }

    /// Delivers what a configuration file says.
    init(_ file: String, _ scratch: ScratchFolder) throws {
        self.file = file
        log = scratch.path + "/log"
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer {
            close(output)
            close(nothing)
        }
        process = try ChildProcess(
            Tool.built("proxyship"), ["--config", file],
            environment: Tool.cleanEnvironment(adding: [:]),
            streams: ChildProcess.Streams(input: nothing, output: output, errors: output))
    }

    /// What it has said so far.
    var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Waits until it has said something.
    func waitUntil(itSays text: String) throws {
        try Eventually.isTrue(orFail: "it did not say \(text), but: \(said.suffix(2_000))") {
            said.contains(text)
        }
    }
}
