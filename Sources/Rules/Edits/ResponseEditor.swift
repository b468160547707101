internal import ProxydCharsets
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

struct ResponseEditor {
    private(set) var message: ForwardedResponse
    private let method: HTTPMethod
    /// The body: as it came, or a rule's own.
    private(set) var body: RuledBody
    private var content: BodyEditor?
    /// A body that a rule gave instead of the received one.
    private var answered: [UInt8]?
    private var lineEdits = LineEdits()

    init(_ message: ForwardedResponse, to method: HTTPMethod, _ body: RuledBody) {
        self.message = message
        self.method = method
        self.body = body
    }

    private var type: MediaType? {
        message.head.fields.value(.contentType).flatMap { MediaType($0) }
    }

    /// The charset that the response declares for its lines.
    private var declaredCharset: Charset? {
        let isEventStream = type.flatMap { BodyKind(declared: $0) } == .eventStream
        return isEventStream ? .utf8 : type?.charset.flatMap { Charset(label: $0) }
    }

    /// Whether an action could do something with the body if it were complete.
    func canDo(_ action: RuleAction) -> Bool {
        if case .edit = action.verb { bodyProblem == nil } else { true }
    }

    private var bodyProblem: EditResult.NotDone? {
        if message.head.isBodiless(to: method) { return .noBody }
        if message.head.status == 206 { return .partialContent }
        if case .endless = body { return .eventStream }
        return nil
    }

    /// Applies an edit of a rule; the name is needed if the outcome is recorded later.
    mutating func apply(_ edit: RuleEdit, of rule: String = "") -> RuleOutcome {
        change(edit, of: rule).outcome(of: edit.target)
    }

    private mutating func change(_ edit: RuleEdit, of rule: String) -> EditResult {
        var fields = message.head.fields
        switch edit.target {
        case .header(let name):
            let result = FieldEditor.apply(edit.change, to: name, in: &fields)
            guard result == .changed else { return result }
        case .cookie(let name):
            guard CookieEditor.applyToResponse(edit.change, to: name, in: &fields) else {
                return .unchanged
            }
        case .status: return setStatus(edit.change)
        case .reason:
            guard case .set(let value) = edit.change, value.text != message.head.reason else {
                return .unchanged
            }
            message.head = message.head.changed(reason: value.text, fields: fields)
            return .changed
        case .form, .json, .body: return changeBody(edit, of: rule)
        case .queryPair, .query, .method, .path, .url: return .unchanged
        }
        message.head = message.head.changed(fields: fields)
        return .changed
    }

    private mutating func setStatus(_ change: RuleEdit.Change) -> EditResult {
        guard case .set(let value) = change, let status = Int(value.text),
            status != message.head.status
        else { return .unchanged }
        message.head = message.head.changed(
            status: status, reason: StatusReason.text(of: status), fields: message.head.fields)
        return .changed
    }

    mutating func apply(_ preset: RulePreset) -> RuleOutcome {
        var fields = message.head.fields
        switch preset {
        case .noCache:
            guard method == .get || method == .head else { return .unchanged }
            for name in ["Expires", "Last-Modified", "ETag", "Age"] {
                fields.removeAll(named: name)
            }
            FieldEditor.set("Cache-Control", Array("no-store".utf8), in: &fields)
        case .blockCookies: fields.removeAll(named: "Set-Cookie")
        }
        guard fields != message.head.fields else { return .unchanged }
        message.head = message.head.changed(fields: fields)
        return .changed(preset.rawValue)
    }

    mutating func replace(with answer: RuleAnswer) {
        message.head = answer.head
        message.body = .exactly(UInt64(answer.body.count))
        body = .whole(answer.body)
        answered = answer.body
        content = nil
        lineEdits = LineEdits()
    }

    // MARK: Body

    private mutating func changeBody(_ edit: RuleEdit, of rule: String) -> EditResult {
        if edit.isByLine {
            if let lineProblem { return .notDone(lineProblem) }
            if isFlowing {
                lineEdits.append(edit, of: rule)
                return .flowing
            }
        }
        if let bodyProblem { return .notDone(bodyProblem) }
        guard let bytes = body.bytes else { return .notDone(body.unseen ?? .tooLarge) }
        var editor = content ?? BodyEditor(bytes, fields: message.head.fields)
        let result = editor.apply(edit)
        content = editor
        return result
    }

    /// Whether the body is streamed instead of collected.
    private var isFlowing: Bool {
        switch body {
        case .coming, .endless: true
        case .whole, .passing: false
        }
    }

    /// Why the body's lines cannot be edited; nil if they can.
    private var lineProblem: EditResult.NotDone? {
        let fields = message.head.fields
        if message.head.isBodiless(to: method) { return .noBody }
        if message.head.status == 206 { return .partialContent }
        if fields.isFramed { return .eventStream }
        if let charset = declaredCharset, !charset.hasIndependentLines { return .wideCharset }
        // Unknown codings count as absent; whether a known one is present, only the body shows.
        let isPlain = Coding.listed(BodyEditor.codings(fields)).known.isEmpty
        return isPlain ? nil : .unreadableBody
    }

    /// The editor of the body's lines while it streams; nil if there is none.
    var lines: LineEditor? { lineEdits.isEmpty ? nil : LineEditor(lineEdits, LineBeginning(type)) }

    func finish() -> (message: ForwardedResponse, body: [UInt8]?) {
        var message = message
        if !lineEdits.isEmpty {
            // The length and digests of the new body are unknown.
            var fields = message.head.fields
            fields.removeDigests()
            if fields != message.head.fields { message.head = message.head.changed(fields: fields) }
            if case .exactly = message.body { message.body = .chunked }
        }
        guard let changed = content?.finish() else { return (message, answered) }
        let fields = changed.fields(message.head.fields)
        if fields != message.head.fields { message.head = message.head.changed(fields: fields) }
        message.body = changed.length(message.body)
        return (message, changed.body)
    }
}

extension HeaderFields {
    /// Whether the content consists of gRPC frames, which have no meaningful lines.
    var isFramed: Bool {
        let essence = value(.contentType).flatMap { MediaType($0) }?.essence
        return essence?.hasPrefix("application/grpc") == true
    }

    /// Whether the content may never end, so that it is not collected.
    var isEndless: Bool {
        guard let essence = value(.contentType).flatMap({ MediaType($0) })?.essence else {
            return false
        }
        return essence == "text/event-stream" || essence == "multipart/x-mixed-replace"
            || essence.hasPrefix("application/grpc")
    }
}

extension RuleEdit {
    /// Whether the edit can give a body to a message that had none.
    var setsWholeBody: Bool {
        if case .set = change { target == .body } else { false }
    }
}

extension EditResult {
    init(isChanged: Bool) { self = isChanged ? .changed : .unchanged }

    func outcome(of target: RuleTarget) -> RuleOutcome {
        switch self {
        case .changed: .changed(target.description)
        case .unchanged: .unchanged
        case .flowing: .flowing
        case .notDone(let problem): .notDone(problem.reason)
        }
    }
}

extension RuleTarget: CustomStringConvertible {
    /// The target as a rules file writes it.
    public var description: String {
        switch self {
        case .header(let name): "header:\(name)"
        case .cookie(let name): "cookie:\(name)"
        case .queryPair(let name): "query:\(name)"
        case .query: "query"
        case .form(let name): "form:\(name)"
        case .json(let path): "json:\(path)"
        case .method: "method"
        case .path: "path"
        case .url: "url"
        case .status: "status"
        case .reason: "reason"
        case .body: "body"
        }
    }
}

enum EditResult: Equatable {
    case changed
    /// The message had this value already, or there was nothing to change.
    case unchanged
    /// The edit is applied while the body streams; its outcome is recorded when the stream ends.
    case flowing
    case notDone(NotDone)

    struct NotDone: Equatable {
        /// The text that is recorded.
        let reason: String

        static let noBody = NotDone(reason: "no body")
        static let partialContent = NotDone(reason: "partial content")
        static let unreadableBody = NotDone(reason: "unreadable body")
        static let notJSON = NotDone(reason: "not JSON")
        static let notAForm = NotDone(reason: "not a form")
        static let file = NotDone(reason: "a file, not a field")
        static let boundary = NotDone(reason: "the value contains the boundary")
        static let signedChunks = NotDone(reason: "aws-chunked")
        static let tooLarge = NotDone(reason: "too large")
        static let noSuchPlace = NotDone(reason: "no such place")
        static let notAURL = NotDone(reason: "not a URL")
        static let notAFieldValue = NotDone(reason: "not a field value")
        static let eventStream = NotDone(reason: "event stream")
        static let wideCharset = NotDone(reason: "UTF-16 or UTF-32")

        static func lacking(_ error: UnencodableCharacter) -> NotDone {
            NotDone(reason: "\(error)")
        }
    }
}
