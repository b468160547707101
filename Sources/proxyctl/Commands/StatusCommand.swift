internal import ArgumentParser
internal import Capture
internal import ProxydControl
internal import ProxydParameterCoding
internal import ProxydSystem
internal import ProxydTLS

/// `proxyctl status`: the status of the daemon and its store.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the daemon and its store.",
        discussion: "Exits with 0 if the daemon is running, otherwise with 1.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object.")
    var json = false
    @Flag(help: "Metrics for Prometheus, in its text format.")
    var prometheus = false

    func validate() throws {
        if json, prometheus { throw ValidationError("--json and --prometheus exclude each other") }
    }

    func run() throws {
        let directory = try global.dataDirectory()
        let status = try running(directory)
        let report = Report()
        let delivery = DeliveryFacts(directory)
        if json || prometheus {
            let store = status == nil ? StoreFacts(directory) : nil
            let expiry = try? AuthorityAccess(directory).certificate.notAfter
            if json {
                report.json(
                    StatusReport.json(
                        status, store, delivery, authorityExpiry: expiry, directory.path))
            } else {
                let metrics = StatusMetrics(status, store, delivery, authorityExpiry: expiry)
                report.exactly(Array(metrics.text.utf8))
            }
        } else {
            let lines =
                status.map { StatusReport.lines($0, now: SystemClock.wallNow()) }
                ?? StatusReport.lines(StoreFacts(directory), directory)
            for line in lines + StatusReport.lines(delivery) { report.line(line) }
        }
        if status == nil {
            throw CommandFailure(
                "proxyd is not running on \(directory.path)",
                nextStep: NextStep.withoutStore(directory))
        }
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
