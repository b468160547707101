public import ProxydHTTPModel
internal import ProxydHTTPWire

/// A question to a script about a message. With a large body, all methods here are expensive: call
/// them on a thread that may block.
public struct ScriptQuestion: Sendable {
    /// The script, and the rule that runs it.
    public let point: ScriptPoint
    /// The exchange that the message belongs to.
    public let exchange: ExchangeID
    let content: HeldMessage.Content

    /// The phase in which it is asked.
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
