public import ProxydHTTPWire

/// What the rules decided about a connection.
public struct ConnectDecision: Sendable {
    /// The address to connect to instead of those that the name resolves to; nil for those.
    public internal(set) var address: String?
    /// The upstream proxy to connect through; nil for the configured one.
    public internal(set) var upstream: RuleUpstream?
    /// The name of the certificate to show to the server; nil for the configured one.
    public internal(set) var clientCertificate: String?
    /// How the connection is refused; nil if it is made.
    public internal(set) var block: RuleBlock?
    /// The other effects of the rules.
    public internal(set) var notes = PhaseNotes()
}

/// What the rules decided about a request.
public struct RequestDecision: Sendable {
    /// What happens instead of forwarding the request.
    public enum Ending: Sendable {
        /// The client gets this answer, to which response rules apply.
        case answer(RuleAnswer)
        /// The client gets an error status, or no answer.
        case block(RuleBlock)
    }

    /// The request to forward.
    public internal(set) var message: ForwardedRequest
    /// Its new body; nil if it is forwarded as it came.
    public internal(set) var body: [UInt8]?
    /// What happens instead; nil if the request is forwarded.
    public internal(set) var ending: Ending?
    /// The scripts to run before it is forwarded, in order.
    public internal(set) var scripts: [ScriptPoint] = []
    /// The hold before it is forwarded; nil if it is not held.
    public internal(set) var hold: HoldPoint?
    /// The other effects of the rules.
    public internal(set) var notes = PhaseNotes()
}

/// What is needed before a request can be decided.
public enum RequestStep: Sendable {
    /// The whole body; the request is evaluated again once it is complete.
    case wantsBody
    /// The answer from a file; pass it to `RuleRun.resume`.
    case serve(FileMapping)
    /// The answer from captures; pass it to `RuleRun.resume`.
    case mock(MockCall)
    /// The decision is complete.
    case decided(RequestDecision)
}

/// What the rules decided about a response.
public struct ResponseDecision: Sendable {
    /// The response to forward.
    public internal(set) var message: ForwardedResponse
    /// Its new body; nil if it is forwarded as it came.
    public internal(set) var body: [UInt8]?
    /// Edits its body line by line while it streams; nil if nothing does.
    public internal(set) var lines: LineEditor?
    /// How the exchange ends instead; nil if the response is forwarded.
    public internal(set) var block: RuleBlock?
    /// Whether a rule gave the response.
    public internal(set) var isAnswer = false
    /// The scripts to run before it is forwarded, in order.
    public internal(set) var scripts: [ScriptPoint] = []
    /// The hold before it is forwarded; nil if it is not held.
    public internal(set) var hold: HoldPoint?
    /// The other effects of the rules.
    public internal(set) var notes = PhaseNotes()
}

/// What is needed before a response can be decided.
public enum ResponseStep: Sendable {
    /// The whole body; the response is evaluated again once it is complete.
    case wantsBody
    /// The decision is complete.
    case decided(ResponseDecision)
}
