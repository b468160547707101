internal import ArgumentParser
internal import ClientLib

/// How `proxyctl replay` uses a WebSocket, and how long it listens.
struct ConversationOptions: ParsableArguments {
    /// When messages are sent.
    enum Pace: String, ExpressibleByArgument, CaseIterable {
        case answers
        case recorded
    }

    @Option(
        help: ArgumentHelp(
            "When to send a WebSocket's messages: answers, after as many messages from the server "
                + "as before, or recorded, at their recorded times. (default: answers)",
            valueName: "pace"))
    var pace: Pace?
    @Flag(
        help: ArgumentHelp(
            "Open the WebSocket again, send the lines of standard input, and print what arrives. "
                + "It is closed at the end of the input, or after --duration."))
    var interactive = false
    @Option(
        help: ArgumentHelp(
            "Stop a response or WebSocket that is still open after this many seconds.",
            valueName: "seconds"))
    var duration: Double?

    /// The maximum duration in seconds: a week.
    private static let durationMax = 604_800.0

    /// Whether any option was given that applies only to WebSockets.
    var isAboutWebSocket: Bool { pace != nil || interactive }

    /// The duration, or nil for no limit.
    var limit: Duration? { duration.map { .seconds($0) } }

    /// Checks what argument parsing alone cannot.
    func check(isSingle: Bool) throws {
        if let duration {
            guard duration > 0, duration <= ConversationOptions.durationMax else {
                throw ValidationError("--duration must be above 0 and at most a week")
            }
        }
        guard pace == nil || !interactive else {
            throw ValidationError("--pace cannot be used with --interactive")
        }
        guard isSingle || !isAboutWebSocket else {
            throw ValidationError("--pace and --interactive take a single exchange")
        }
    }
}
