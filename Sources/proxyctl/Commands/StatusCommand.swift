internal import ArgumentParser
internal import Capture
internal import ProxydControl
internal import ProxydParameterCoding
internal import ProxydSystem

/// `proxyctl status`: the status of the daemon and its store.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the daemon and its store.",
        discussion: "Exits with 0 if the daemon is running, otherwise with 1.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object.")
    var json = false

    func run() throws {
        let directory = try global.dataDirectory()
        let status = try running(directory)
        let report = Report()
        if json {
            let store = status == nil ? StoreFacts(directory) : nil
            report.json(StatusReport.json(status, store, directory.path))
        } else if let status {
            for line in StatusReport.lines(status, now: SystemClock.wallNow()) { report.line(line) }
        } else {
            for line in StatusReport.lines(StoreFacts(directory), directory) { report.line(line) }
        }
        if status == nil { throw CommandFailure("proxyd is not running on \(directory.path)") }
    }

    /// The daemon's status, or nil if none is running.
    private func running(_ directory: DataDirectory) throws -> DaemonStatus? {
        do throws(ControlError) {
            return try ControlClient(dataDirectory: directory.path).status()
        } catch {
            if error.kind == .notRunning { return nil }
            throw CommandFailure(error.message)
        }
    }
}
