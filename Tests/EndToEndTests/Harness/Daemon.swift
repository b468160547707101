import Foundation
import ProxydTestSupport

/// A real proxyd with a data directory of its own.
final class Daemon: @unchecked Sendable {
    // Proof: nothing in it changes after init, and signals may be sent from any thread.
    let data: ScratchFolder
    let port: Int
    let service: Service
    private let hasOwnMounts: Bool

    /// Starts a daemon; `trusting` is a certificate that servers may have, `configuration` the
    /// text of its configuration file, `listen` an IP address, `launcher` a command that becomes
    /// it, and `hasOwnMounts` says that this puts it in a user and mount namespace of its own.
    init(
        trusting certificate: TestCertificate? = nil, configuration: String? = nil,
        listen: String = "127.0.0.1", data: ScratchFolder? = nil, launcher: [String] = [],
        hasOwnMounts: Bool = false
    ) throws {
        self.hasOwnMounts = hasOwnMounts
        self.data = try data ?? ScratchFolder()
        var arguments = ["--listen", "\(listen):0", "--data-dir", self.data.path + "/data"]
        let file = self.data.path + "/proxyd.toml"
        try (configuration ?? "").write(toFile: file, atomically: true, encoding: .utf8)
        arguments += ["--config", file]
        var environment: [String: String] = [:]
        if let certificate { environment["SSL_CERT_FILE"] = certificate.certificatePath }
        let command = launcher + [try Tool.built("proxyd")] + arguments
        service = try Service(command[0], Array(command.dropFirst()), environment: environment)
        let line = try service.readLine()
        guard line.hasPrefix("proxyd: listening on \(listen):"),
            let port = Int(line.split(separator: ":").last ?? "")
        else { throw Tool.Failure(description: "unexpected first line: \(line)") }
        self.port = port
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var directory: String { data.path + "/data" }
    var certificatePath: String { directory + "/ca/ca.pem" }

    /// curl through the proxy; fails the test's call where curl is missing.
    @discardableResult
    func curl(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(
            "curl",
            ["-sS", "--max-time", "60", "-x", url, "--cacert", certificatePath] + arguments)
    }

    @discardableResult
    func proxyctl(_ arguments: [String]) throws -> Tool.Outcome {
        try run(try Tool.built("proxyctl"), ["--data-dir", directory] + arguments)
    }

    /// Runs a program that sees the files that the daemon sees.
    func run(_ program: String, _ arguments: [String]) throws -> Tool.Outcome {
        guard hasOwnMounts else { return try Tool.run(program, arguments) }
        let enter = ["--preserve-credentials", "-U", "-m", "-t", String(service.pid)]
        return try Tool.run("nsenter", enter + [program] + arguments)
    }

    /// The rows that match a filter, as soon as there are `count` of them and none is active.
    func rows(_ filter: String = "", count: Int, final: Bool = true) throws -> [Row] {
        var last: [Row] = []
        return try Eventually.value(
            orFail: "wanted \(count) rows for '\(filter)', have \(last.map(\.object))"
        ) {
            let outcome = try proxyctl(["list", filter, "--json"].filter { !$0.isEmpty })
            last = try outcome.text.split(separator: "\n").map { try Row(json: String($0)) }
            let isThere =
                last.count >= count
                && (!final || last.allSatisfy { $0.text("state") != "active" })
            return isThere ? last : nil
        }
    }

    /// The only row that matches a filter.
    func row(_ filter: String = "") throws -> Row {
        let all = try rows(filter, count: 1)
        guard all.count == 1, let row = all.first else {
            throw Tool.Failure(description: "wanted one row for '\(filter)', have \(all.count)")
        }
        return row
    }

    /// `proxyctl show ID --json`.
    func show(_ row: Row) throws -> Row {
        try Row(json: try proxyctl(["show", String(row.int("id") ?? 0), "--json"]).text)
    }

    /// What `proxyctl messages ID --json` prints, as soon as there are `count` messages.
    func messages(of row: Row, count: Int) throws -> [Row] {
        var last: [Row] = []
        return try Eventually.value(
            orFail: "wanted \(count) messages, have \(last.map(\.object))"
        ) {
            let outcome = try proxyctl(["messages", String(row.int("id") ?? 0), "--json"])
            last = try outcome.text.split(separator: "\n").map { try Row(json: String($0)) }
            return last.count >= count ? last : nil
        }
    }

    /// Resident memory in KiB.
    func residentKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }

    /// Ends it as systemd would and returns its exit status.
    func stop() -> Int32 {
        service.signal(SIGTERM)
        return service.waitForExit()
    }
}

/// One JSON object that proxyctl printed.
struct Row {
    let object: [String: Any]

    init(json: String) throws {
        let any = try JSONSerialization.jsonObject(with: Data(json.utf8))
        guard let object = any as? [String: Any] else {
            throw Tool.Failure(description: "no JSON object: \(json)")
        }
        self.object = object
    }

    init(_ object: [String: Any]) { self.object = object }

    func text(_ key: String) -> String? { object[key] as? String }
    func int(_ key: String) -> Int? { (object[key] as? NSNumber)?.intValue }
    func double(_ key: String) -> Double? { (object[key] as? NSNumber)?.doubleValue }
    func isNull(_ key: String) -> Bool { object[key] is NSNull }
    func row(_ key: String) -> Row? { (object[key] as? [String: Any]).map(Row.init) }

    /// A list of `[name, value]` pairs; a null value is nil.
    func pairs(_ key: String) -> [[String?]] {
        (object[key] as? [[Any]])?.map { $0.map { $0 as? String } } ?? []
    }
}
