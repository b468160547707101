public import ProxydHTTPWire

/// What becomes of a connection.
public struct ConnectDecision: Sendable {
    /// The address to connect to instead of those that the name has; nil for those.
    public internal(set) var address: String?
    /// How it is refused; nil where it is made.
    public internal(set) var block: RuleBlock?
    /// What else the rules did.
    public internal(set) var notes = PhaseNotes()
}

/// What becomes of a request.
public struct RequestDecision: Sendable {
    /// What happens instead of the request going on.
    public enum Ending: Sendable {
        /// The client gets this answer, on which response rules act.
        case answer(RuleAnswer)
        /// The client gets nothing of use.
        case block(RuleBlock)
    }

    /// The request as it goes on.
    public internal(set) var message: ForwardedRequest
    /// Its body; nil where that goes on as it came.
    public internal(set) var body: [UInt8]?
    /// What happens instead; nil where it goes on.
    public internal(set) var ending: Ending?
    /// The scripts that are asked before it goes on, in their order.
    public internal(set) var scripts: [ScriptPoint] = []
    /// What holds it before it goes on; nil for nothing.
    public internal(set) var hold: HoldPoint?
    /// What else the rules did.
    public internal(set) var notes = PhaseNotes()
}

/// What is needed before it is known what becomes of a request.
public enum RequestStep: Sendable {
    /// The whole body; then the request is to be judged again.
    case wantsBody
    /// Whether a file answers; `RuleRun.resume` takes what came of it.
    case serve(FileMapping)
    /// Which capture answers; `RuleRun.resume` takes what came of it.
    case mock(MockCall)
    /// It is known.
    case decided(RequestDecision)
}

/// What becomes of a response.
public struct ResponseDecision: Sendable {
    /// The response as it goes on.
    public internal(set) var message: ForwardedResponse
    /// Its body; nil where that goes on as it came.
    public internal(set) var body: [UInt8]?
    /// What edits its body line by line while it goes on; nil where nothing does.
    public internal(set) var lines: LineEditor?
    /// How the exchange is ended instead; nil where the response goes on.
    public internal(set) var block: RuleBlock?
    /// Whether the response is one of a rule's own.
    public internal(set) var isAnswer = false
    /// The scripts that are asked before it goes on, in their order.
    public internal(set) var scripts: [ScriptPoint] = []
    /// What holds it before it goes on; nil for nothing.
    public internal(set) var hold: HoldPoint?
    /// What else the rules did.
    public internal(set) var notes = PhaseNotes()
}

/// What is needed before it is known what becomes of a response.
public enum ResponseStep: Sendable {
    /// The whole body; then the response is to be judged again.
    case wantsBody
    /// It is known.
    case decided(ResponseDecision)
}
