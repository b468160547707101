internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydControl

/// `proxyctl record`: pauses and resumes recording.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Pause or resume recording.",
        discussion: """
            While recording is paused, traffic passes as usual and is counted. Exchanges that have \
            already started are recorded to their end. A restarted daemon records. To select \
            permanently what is recorded, use the key recording.filter.
            """,
        subcommands: [Pause.self, Resume.self])

    /// `proxyctl record pause`.
    struct Pause: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause", abstract: "Stop recording new exchanges.")

        @OptionGroup var global: GlobalOptions

        func run() throws { try RecordCommand.turn(on: false, global) }
    }

    /// `proxyctl record resume`.
    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Record new exchanges again.")

        @OptionGroup var global: GlobalOptions

        func run() throws { try RecordCommand.turn(on: true, global) }
    }

    private static func turn(on isOn: Bool, _ global: GlobalOptions) throws {
        let client = try DaemonAccess.running(global)
        try DaemonAccess.attempt { () throws(ControlError) in try client.setRecording(isOn) }
        Report().line(isOn ? "recording" : "recording is paused")
    }
}
