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
        let delivery = DeliveryFacts(directory)
        if json {
            let store = status == nil ? StoreFacts(directory) : nil
            report.json(StatusReport.json(status, store, delivery, directory.path))
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
