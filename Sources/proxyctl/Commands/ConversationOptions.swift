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
            "When the messages of a WebSocket are sent: answers, when as many came from the server "
                + "as before, or recorded, when they were. (default: answers)", valueName: "pace"))
    var pace: Pace?
    @Flag(
        help: ArgumentHelp(
            "Open a WebSocket again, send the lines of standard input instead, and print what "
                + "comes. The end of the lines closes it, or --duration."))
    var interactive = false
    @Option(
        help: ArgumentHelp(
            "Seconds after which a response or a WebSocket that goes on is left.",
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
                throw ValidationError("--duration is above 0 and at most a week")
            }
        }
        guard pace == nil || !interactive else {
            throw ValidationError("--interactive sends nothing that could have a --pace")
        }
        guard isSingle || !isAboutWebSocket else {
            throw ValidationError("--pace and --interactive are for one exchange")
        }
    }
}
