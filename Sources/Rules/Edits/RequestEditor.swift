internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Edits one request.
struct RequestEditor {
    private(set) var message: ForwardedRequest
    /// The body as it came: filters do not see edits.
    let body: RuledBody
    private var fields: HeaderFields
    private var method: HTTPMethod
    /// The value of `:authority` if a rule has set it.
    private var authority: String?
    private var content: BodyEditor?

    init(_ message: ForwardedRequest, _ body: RuledBody) {
        self.message = message
        self.body = body
        fields = message.head.fields
        method = message.head.method
    }

    mutating func apply(_ edit: RuleEdit) -> RuleOutcome {
        let result = change(edit)
        if result == .changed { rebuildHead() }
        return result.outcome(of: edit.target)
    }

    private mutating func change(_ edit: RuleEdit) -> EditResult {
        switch edit.target {
        case .header(let name): return changeHeader(edit.change, name)
        case .cookie(let name):
            return .init(
                isChanged: CookieEditor.applyToRequest(edit.change, to: name, in: &fields))
        case .method:
            guard case .set(let value) = edit.change, value.text != method.rawValue else {
                return .unchanged
            }
            method = HTTPMethod(rawValue: value.text)
            return .changed
        case .queryPair, .query, .path, .url: return changeURL(edit)
        case .form, .json, .body: return changeBody(edit)
        case .status, .reason: return .unchanged
        }
    }

    // MARK: Head

    private mutating func changeHeader(
        _ change: RuleEdit.Change, _ name: String
    ) -> EditResult {
        guard name.lowercased() == "host" else {
            return FieldEditor.apply(change, to: name, in: &fields)
        }
        // There is only one Host, and it does not only decide where the request goes.
        guard case .set(let value) = change else { return .unchanged }
        return .init(isChanged: setHost(value.text))
    }

    private mutating func setHost(_ name: String) -> Bool {
        let before = message.head.authority
        if fields.first(.host) != nil || message.head.version < .http2 {
            FieldEditor.set("Host", Array(name.utf8), in: &fields)
        }
        authority = name
        message.options.keepsHost = true
        message.options.regeneratesHost = false
        return before != name
    }

    private mutating func changeURL(_ edit: RuleEdit) -> EditResult {
        guard let url = URLEditor.apply(edit.change, to: edit.target, in: message.url) else {
            return .notDone(.notAURL)
        }
        guard url != message.url else { return .unchanged }
        if url.host != message.url.host || url.port != message.url.port {
            message.options.regeneratesHost = true
        }
        message.url = url
        return .changed
    }

    /// Redirects the request to another server.
    mutating func send(to mapping: RemoteMapping) -> RuleOutcome {
        message.url = mapping.url(for: message.url)
        switch mapping.host {
        case .change:
            message.options.keepsHost = false
            message.options.regeneratesHost = true
        case .keep:
            message.options.keepsHost = true
            message.options.regeneratesHost = false
        case .name(let name): _ = setHost(name)
        }
        rebuildHead()
        return .changed("to \(message.url.scheme)://\(message.url.authority)")
    }

    mutating func apply(_ preset: RulePreset) -> RuleOutcome {
        let before = fields
        switch preset {
        case .noCache:
            guard method == .get || method == .head else { return .unchanged }
            fields.removeAll(named: "If-None-Match")
            fields.removeAll(named: "If-Modified-Since")
            FieldEditor.set("Cache-Control", Array("no-cache".utf8), in: &fields)
            FieldEditor.set("Pragma", Array("no-cache".utf8), in: &fields)
        case .blockCookies: fields.removeAll(named: "Cookie")
        }
        guard fields != before else { return .unchanged }
        rebuildHead()
        return .changed(preset.rawValue)
    }

    private mutating func rebuildHead() {
        message.head = message.head.changed(method: method, authority: authority, fields: fields)
        fields = message.head.fields
    }

    // MARK: Body

    private mutating func changeBody(_ edit: RuleEdit) -> EditResult {
        guard let bytes = body.bytes else { return .notDone(body.unseen ?? .tooLarge) }
        if bytes.isEmpty, content == nil, !edit.setsWholeBody { return .notDone(.noBody) }
        var editor = content ?? BodyEditor(bytes, fields: fields)
        let result = editor.apply(edit)
        content = editor
        return result
    }

    /// The request with all changes.
    func finish() -> (message: ForwardedRequest, body: [UInt8]?) {
        guard let changed = content?.finish() else { return (message, nil) }
        var message = message
        let fields = changed.fields(message.head.fields)
        if fields != message.head.fields { message.head = message.head.changed(fields: fields) }
        message.body = changed.length(message.body)
        return (message, changed.body)
    }
}
