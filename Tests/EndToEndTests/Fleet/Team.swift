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
