internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydControl

/// `proxyctl record`: pauses and resumes recording.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Pause recording, and resume it.",
        discussion: """
            While recording is paused, traffic passes as ever and is counted. What began before is \
            recorded to its end. A daemon that is started anew records. The key \
            recording.filter chooses for good what is recorded.
            """,
        subcommands: [Pause.self, Resume.self])

    /// `proxyctl record pause`.
    struct Pause: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause", abstract: "Record nothing that begins from now on.")

        @OptionGroup var global: GlobalOptions

        func run() throws { try RecordCommand.turn(on: false, global) }
    }

    /// `proxyctl record resume`.
    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Record again what begins from now on.")

        @OptionGroup var global: GlobalOptions

        func run() throws { try RecordCommand.turn(on: true, global) }
    }

    private static func turn(on isOn: Bool, _ global: GlobalOptions) throws {
        let client = try DaemonAccess.running(global)
        try DaemonAccess.attempt { () throws(ControlError) in try client.setRecording(isOn) }
        Report().line(isOn ? "recording" : "recording is paused")
    }
}
