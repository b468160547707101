internal import ProxydContentCoding
public import ProxydHTTPModel
public import ProxydHTTPWire
internal import ProxydParameterCoding

/// A question to a script about a message. With a large body, all methods here are expensive: call
/// them on a thread that may block.
public struct ScriptQuestion: Sendable {
    /// The script, and the rule that runs it.
    public let point: ScriptPoint
    public let exchange: ExchangeID
    let content: HeldMessage.Content

    var phase: RulePhase {
        switch content {
        case .request: .request
        case .response: .response
        }
    }

    /// The size of the body that is sent to the script, in bytes.
    public var bodyByteCount: Int { point.call.sendsBody ? body.bytes?.count ?? 0 : 0 }

    var body: RuledBody {
        switch content {
        case .request(_, let body), .response(_, let body, _): body
        }
    }

    /// Interprets an answer of the script.
    /// - Parameters:
    ///   - line: A line of its output, without the line feed.
    ///   - id: The number of the question.
    /// - Returns: nil if the line does not answer this question.
    public func end(_ line: [UInt8], id: Int) -> ScriptEnd? {
        guard let reply = try? ScriptReply(line), reply.id == id else { return nil }
        do throws(ScriptProblem) {
            if let answer = try reply.answer() { return .answered(answer) }
            let edits = try reply.edits(in: phase)
            if edits.isEmpty { return .unchanged }
            return try end(edits)
        } catch {
            return .failed(String(error.reason.prefix(ScriptQuestion.reasonCountMax)))
        }
    }

    /// The maximum length of a recorded reason or description, in characters.
    private static let reasonCountMax = 200

    private func end(_ edits: [(text: String, edit: RuleEdit)]) throws(ScriptProblem) -> ScriptEnd {
        let seen: RuledBody =
            point.call.sendsBody
            ? body : .passing(reason: "the script does not get the body: set body = true")
        let (edited, outcomes) = content.edited(by: edits.map(\.edit), seeing: seen)
        var changes: [String] = []
        for (outcome, edit) in zip(outcomes, edits) {
            switch outcome {
            case .notDone(let reason): throw ScriptProblem("\(edit.text): \(reason)")
            case .changed(let what): changes.append(what)
            default: break
            }
        }
        if changes.isEmpty { return .unchanged }
        guard edited.headByteCount <= WireLimits().headByteCountMax else {
            throw ScriptProblem("the head would be too large")
        }
        let detail = changes.joined(separator: ", ").prefix(ScriptQuestion.reasonCountMax)
        return .changed(edited, detail: String(detail))
    }
}

extension HeldMessage.Content {
    fileprivate var headByteCount: Int {
        switch self {
        case .request(let request, _): request.head.bytes.count
        case .response(let response, _, _): response.head.bytes.count
        }
    }
}

extension ScriptQuestion {
    /// Returns the question as a line of JSON, including the line feed.
    ///
    /// ```json
    /// {"v":1,"id":7,"exchange":41,"rule":"sign","phase":"request","method":"POST",
    ///  "url":"http://…","headers":[["Host","a"]],"body":"<base64>"}
    /// ```
    /// A response also has `status`, `reason` and `request_headers`.
    public func line(id: Int) -> [UInt8] {
        var members: [(String, JSONValue)] = [
            ("v", .number("1")), ("id", .number(String(id))),
            ("exchange", .number(String(exchange.rawValue))), ("rule", .string(point.rule)),
            ("phase", .string(phase.rawValue)),
        ]
        let fields: HeaderFields
        switch content {
        case .request(let request, _):
            members += ScriptQuestion.members(of: request)
            fields = request.head.fields
            members.append(("headers", ScriptQuestion.lines(of: fields)))
        case .response(let response, _, let request):
            members += ScriptQuestion.members(of: request)
            members.append(("request_headers", ScriptQuestion.lines(of: request.head.fields)))
            members.append(("status", .number(String(response.head.status))))
            members.append(("reason", .string(response.head.reason)))
            fields = response.head.fields
            members.append(("headers", ScriptQuestion.lines(of: fields)))
        }
        if point.call.sendsBody { members += bodyMembers(fields) }
        let object = JSONValue.object(members.map { .init(name: $0.0, value: $0.1) })
        // The object's numbers are valid and it is not nested deeply, so writing cannot fail.
        return ((try? JSONWriter().write(object)) ?? []) + [0x0A]
    }

    private static func members(of request: ForwardedRequest) -> [(String, JSONValue)] {
        [
            ("method", .string(request.head.method.rawValue)),
            ("url", .string(request.url.description)),
        ]
    }

    private static func lines(of fields: HeaderFields) -> JSONValue {
        .array(fields.pairs.map { .array([.string($0.name), .string($0.value)]) })
    }

    /// The body with its content codings removed, as edits see it, or the reason why it is missing.
    private func bodyMembers(_ fields: HeaderFields) -> [(String, JSONValue)] {
        guard let bytes = body.bytes else {
            let reason = body.unseen ?? .tooLarge
            return [("body", .null), ("body_problem", .string(reason.reason))]
        }
        let decoded = BodyEditor.decoded(bytes, fields)
        guard decoded.failure == nil else {
            let reason = EditResult.NotDone.unreadableBody
            return [("body", .null), ("body_problem", .string(reason.reason))]
        }
        return [("body", .string(Base64.text(decoded.bytes)))]
    }

    /// The members of a question, which an answer may repeat.
    static let memberNames: Set<String> = [
        "v", "id", "exchange", "rule", "phase", "method", "url", "status", "reason", "headers",
        "request_headers", "body", "body_problem",
    ]
}

/// The rule that runs a script, and how.
public struct ScriptPoint: Sendable {
    public let rule: String
    public let call: RuleScriptCall
}

extension PhaseNotes {
    mutating func note(_ point: ScriptPoint, _ phase: RulePhase, _ end: ScriptEnd) {
        let script = point.call.script
        let (outcome, detail): (String, String)
        switch end {
        case .unchanged: (outcome, detail) = ("unchanged", script)
        case .changed(_, let what): (outcome, detail) = ("changed", "\(script): \(what)")
        case .answered(let answer):
            (outcome, detail) = ("answered", "\(script): status \(answer.status)")
        case .failed(let reason): (outcome, detail) = ("failed", "\(script): \(reason)")
        }
        applied.append(
            AppliedRule(rule: point.rule, phase: phase, outcome: outcome, detail: detail))
    }

    /// Records that a script was not run, because the request is not forwarded.
    mutating func noteUnasked(_ point: ScriptPoint, _ phase: RulePhase) {
        applied.append(
            AppliedRule(rule: point.rule, phase: phase, outcome: "not run: a rule answered"))
    }
}

/// The result of asking a script about a message.
public enum ScriptEnd: Sendable {
    case unchanged
    /// It is forwarded as the script edited it; with a description of the changes for the record.
    case changed(HeldMessage.Content, detail: String)
    /// The client gets this answer.
    case answered(RuleAnswer)
    /// There was no valid answer; with the reason for the record.
    case failed(String)
}

/// How long a program that ended stays down: doubles each time, until it has answered.
public struct ScriptPauses: Sendable {
    private static let firstNs: Int64 = 100_000_000
    private static let longestNs: Int64 = 30_000_000_000

    /// The earliest time of the next start, in nanoseconds of a monotonic clock.
    private var notBefore: Int64 = 0
    private var nextNs = ScriptPauses.firstNs

    public init() {}

    public mutating func answered() { nextNs = ScriptPauses.firstNs }

    /// Sets the pause after the program ended, or was ended because of an error.
    public mutating func ended(now: Int64) {
        notBefore = now &+ nextNs
        nextNs = min(nextNs * 2, ScriptPauses.longestNs)
    }

    /// How long until the program may be started, in nanoseconds; 0 for now.
    public func left(now: Int64) -> Int64 { max(0, notBefore &- now) }
}
