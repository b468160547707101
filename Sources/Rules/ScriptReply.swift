internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// A script's answer about a message.
///
/// ```json
/// {"id":7}
/// {"id":7,"set":[{"target":"header:X-A","value":"1"}],"remove":[{"target":"query:debug"}]}
/// {"id":7,"respond":{"status":403,"headers":[["Retry-After","3"]],"text":"not now"}}
/// ```
struct ScriptReply {
    static let editCountMax = 1_000
    /// The maximum length of a line, in bytes: a body of 16 MiB in Base64, and room for edits.
    static let lineByteCountMax = 32 << 20

    /// The number of the question that it answers.
    let id: Int
    private let members: [JSONValue.Member]

    init(_ line: [UInt8]) throws(ScriptProblem) {
        let limits = JSONLimits(depthMax: 64, byteCountMax: ScriptReply.lineByteCountMax)
        guard case .object(let members)? = try? JSONReader(limits: limits).read(line) else {
            throw ScriptProblem("the line is not a JSON object")
        }
        guard case .number(let digits)? = ScriptReply.value("id", members), let id = Int(digits)
        else { throw ScriptProblem("the line has no id") }
        self.id = id
        self.members = members
    }

    /// If several members have the same name, the last one counts.
    private static func value(_ name: String, _ members: [JSONValue.Member]) -> JSONValue? {
        members.last { $0.name == name }?.value
    }

    // MARK: Edits

    private static let verbs: [RuleVerbName] = [.set, .add, .remove]

    /// The requested edits, in this order: all of `set`, then of `add`, then of `remove`.
    func edits(in phase: RulePhase) throws(ScriptProblem) -> [(text: String, edit: RuleEdit)] {
        let verbNames = ScriptReply.verbs.map(\.rawValue)
        for member in members
        where !verbNames.contains(member.name) && member.name != "respond"
            && !ScriptQuestion.memberNames.contains(member.name)
        {
            throw ScriptProblem("unknown member \(member.name)")
        }
        var edits: [(text: String, edit: RuleEdit)] = []
        for verb in ScriptReply.verbs {
            switch ScriptReply.value(verb.rawValue, members) {
            case nil, .null?: continue
            case .array(let wanted)?:
                guard edits.count + wanted.count <= ScriptReply.editCountMax else {
                    throw ScriptProblem("more than \(ScriptReply.editCountMax) edits")
                }
                for one in wanted { edits.append(try ScriptReply.edit(verb, one, in: phase)) }
            default: throw ScriptProblem("\(verb.rawValue): not a list")
            }
        }
        return edits
    }

    private static func edit(
        _ verb: RuleVerbName, _ wanted: JSONValue, in phase: RulePhase
    ) throws(ScriptProblem) -> (text: String, edit: RuleEdit) {
        guard case .object(let members) = wanted,
            case .string(let text)? = value("target", members)
        else { throw ScriptProblem("\(verb.rawValue): each entry needs a target") }
        var problem = ""
        guard let target = RuleTarget(text, in: phase, for: verb, { problem = $0 }) else {
            throw ScriptProblem(problem)
        }
        if verb == .remove { return (text, RuleEdit(target: target, change: .remove(match: nil))) }
        guard let json = value("value", members) else {
            throw ScriptProblem("\(text): the value is missing")
        }
        let value = try ruleValue(json, for: target, text)
        return (text, RuleEdit(target: target, change: verb == .set ? .set(value) : .add(value)))
    }

    private static func ruleValue(
        _ json: JSONValue, for target: RuleTarget, _ text: String
    ) throws(ScriptProblem) -> RuleValue {
        let value: RuleValue
        switch json {
        case .string(let text): value = RuleValue(text)
        case .number(let text): value = RuleValue(text: text, parameter: Parameter(json))
        case .bool(let flag):
            value = RuleValue(text: flag ? "true" : "false", parameter: .bool(flag))
        case .null, .array, .object:
            guard case .json = target else { throw ScriptProblem("\(text): not a string") }
            return RuleValue(text: "", parameter: Parameter(json))
        }
        if let problem = target.objection(to: value.text) {
            throw ScriptProblem("\(text): \(problem)")
        }
        return value
    }

    // MARK: Answer

    /// The answer for the client; nil if the script gives none.
    func answer() throws(ScriptProblem) -> RuleAnswer? {
        guard let respond = ScriptReply.value("respond", members), respond != .null else {
            return nil
        }
        guard case .object(let parts) = respond,
            case .number(let digits)? = ScriptReply.value("status", parts),
            let status = Int(digits), (200...599).contains(status)
        else { throw ScriptProblem("respond: a status is from 200 to 599") }
        return RuleAnswer(
            status: status, fields: try ScriptReply.fields(ScriptReply.value("headers", parts)),
            body: try ScriptReply.body(parts))
    }

    private static func body(_ parts: [JSONValue.Member]) throws(ScriptProblem) -> [UInt8] {
        let body: [UInt8]
        switch (value("body", parts), value("text", parts)) {
        case (nil, nil), (.null?, nil): return []
        case (.string(let text)?, nil):
            guard let bytes = Base64.bytes(text) else {
                throw ScriptProblem("respond: body is not Base64; use text for a string")
            }
            body = bytes
        case (nil, .string(let text)?): body = Array(text.utf8)
        default: throw ScriptProblem("respond: give either body, in Base64, or text")
        }
        guard body.count <= BodyEditor.byteCountMax else {
            throw ScriptProblem("respond: the body is too large")
        }
        return body
    }

    /// Parses `[["Name", "value"], …]`, or `{"Name": "value", …}`.
    private static func fields(_ value: JSONValue?) throws(ScriptProblem) -> HeaderFields {
        var pairs: [(JSONValue, JSONValue)] = []
        switch value {
        case nil, .null?: break
        case .object(let members)?: pairs = members.map { (.string($0.name), $0.value) }
        case .array(let lines)?:
            for line in lines {
                guard case .array(let pair) = line, pair.count == 2 else {
                    throw ScriptProblem("respond: each header is [name, value]")
                }
                pairs.append((pair[0], pair[1]))
            }
        default: throw ScriptProblem("respond: headers must be a list")
        }
        guard pairs.count <= editCountMax else {
            throw ScriptProblem("respond: more than \(editCountMax) headers")
        }
        var fields = HeaderFields()
        for pair in pairs {
            guard case (.string(let name), .string(let value)) = pair else {
                throw ScriptProblem("respond: each header is two strings")
            }
            if isFraming(name) { continue }
            if let problem = RuleTarget.objection(toField: name)
                ?? RuleTarget.header("").objection(to: value)
            {
                throw ScriptProblem("respond: \(problem)")
            }
            fields.append(name: name, value: value)
        }
        return fields
    }

    /// Fields that proxyd generates; they are ignored, because scripts often return the headers
    /// they were given.
    private static func isFraming(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection", "keep-alive"]
            .contains(name.lowercased())
    }
}

extension HeldMessage.Content {
    /// Returns the message with edits applied, and the outcome of each.
    /// - Parameter seen: The body as the edits see it; the message's own body is kept if none of
    ///   them changes it.
    func edited(
        by edits: [RuleEdit], seeing seen: RuledBody
    ) -> (content: HeldMessage.Content, outcomes: [RuleOutcome]) {
        switch self {
        case .request(let request, let body):
            var editor = RequestEditor(request, seen)
            let outcomes = edits.map { editor.apply($0) }
            let edited = editor.finish()
            return (.request(edited.message, edited.body.map(RuledBody.whole) ?? body), outcomes)
        case .response(let response, let body, let request):
            var editor = ResponseEditor(response, to: request.head.method, seen)
            let outcomes = edits.map { editor.apply($0) }
            let edited = editor.finish()
            let left = edited.body.map(RuledBody.whole) ?? body
            return (.response(edited.message, left, to: request), outcomes)
        }
    }
}

/// Why a line of a script is not an answer, or cannot be applied.
struct ScriptProblem: Error, Equatable {
    /// A message for the user; may contain text from the script.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Splits the output of a program into lines of limited length.
public struct ScriptLines: Sendable {
    public static let answerByteCountMax = ScriptReply.lineByteCountMax

    private let byteCountMax: Int
    private var pending: [UInt8] = []
    private var complete: [[UInt8]] = []
    /// Whether a line was too long; its rest is dropped.
    public private(set) var hasOverrun = false
    private var isSkipping = false

    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Takes output of the program. A line that is too long is cut.
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            keep(rest[..<end])
            if !isSkipping { take() }
            isSkipping = false
            rest = rest[(end + 1)...]
        }
        keep(rest)
    }

    private mutating func keep(_ piece: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        let room = byteCountMax - pending.count
        pending += piece.prefix(room)
        guard piece.count > room else { return }
        hasOverrun = true
        isSkipping = true
        take()
    }

    private mutating func take() {
        if pending.last == 0x0D { pending.removeLast() }
        complete.append(pending)
        pending = []
    }

    /// Removes and returns the complete lines, without their line ends.
    public mutating func takeLines() -> [[UInt8]] {
        defer { complete = [] }
        return complete
    }

    /// Removes and returns the start of an incomplete line.
    public mutating func takeRest() -> [UInt8] {
        defer { pending = [] }
        return pending
    }
}
