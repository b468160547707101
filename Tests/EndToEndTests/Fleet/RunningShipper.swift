import Capture
import Foundation
import ProxydStoreTestSupport
import ProxydTestSupport

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
