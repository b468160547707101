internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

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
            return .init(isChanged: CookieEditor.applyToRequest(edit.change, to: name, in: &fields))
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

    private mutating func changeHeader(_ change: RuleEdit.Change, _ name: String) -> EditResult {
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

    func finish() -> (message: ForwardedRequest, body: [UInt8]?) {
        guard let changed = content?.finish() else { return (message, nil) }
        var message = message
        let fields = changed.fields(message.head.fields)
        if fields != message.head.fields { message.head = message.head.changed(fields: fields) }
        message.body = changed.length(message.body)
        return (message, changed.body)
    }
}

/// Edits a URL in its written form.
enum URLEditor {
    /// Returns the URL with one part changed, or nil if the result would not be a URL.
    static func apply(_ change: RuleEdit.Change, to target: RuleTarget, in url: RawURL) -> RawURL? {
        switch target {
        case .queryPair(let name):
            var pairs = QueryDecoder().decode(Array(url.query ?? []))
            let before = pairs.bytes
            PairEditor.apply(change, to: name, in: &pairs)
            return pairs.bytes == before ? url : url.with(query: pairs.bytes)
        case .path:
            guard let path = changed(Array(url.path), change) else { return nil }
            let query = url.query.map { [UInt8(ascii: "?")] + $0 } ?? []
            return url.with(origin: path + query)
        case .query: return changed(Array(url.query ?? []), change).flatMap { url.with(query: $0) }
        case .url:
            return changed(Array(url.description.utf8), change).flatMap {
                try? RawURL.absolute($0, inPlaceOf: url)
            }
        default: return url
        }
    }

    private static func changed(_ bytes: [UInt8], _ change: RuleEdit.Change) -> [UInt8]? {
        switch change {
        case .set(let value): return Array(value.text.utf8)
        case .replace(let replacement, let countMax):
            switch replacement.replacing(
                in: bytes.span, timesMax: countMax, byteCountMax: RuleSet.valueByteCountMax)
            {
            case .unchanged: return bytes
            case .changed(let changed, _, _): return changed
            case .tooLarge: return nil
            }
        case .add, .remove: return bytes
        }
    }
}

extension RawURL {
    /// Parses an absolute URL. Without a path, it means the server as a whole if the URL that it
    /// replaces did (RFC 9112 §3.2.4).
    static func absolute(_ text: [UInt8], inPlaceOf former: RawURL) throws(WireError) -> RawURL {
        let url = try EffectiveTarget.absoluteURL(text.span)
        let hasPath = text.count { $0 == UInt8(ascii: "/") } > 2
        guard former.origin == [UInt8(ascii: "*")], !hasPath, url.query == nil else { return url }
        return RawURL(scheme: url.scheme, host: url.host, port: url.port, origin: former.origin)
    }

    /// Returns the URL with another query, and without `?` if the query is empty.
    fileprivate func with(query: [UInt8]) -> RawURL? {
        with(origin: Array(path) + (query.isEmpty ? [] : [UInt8(ascii: "?")] + query))
    }

    /// Returns nil if the result would not be a valid request target.
    fileprivate func with(origin: [UInt8]) -> RawURL? {
        guard origin.first == UInt8(ascii: "/"), RuleTarget.isTarget(origin) else { return nil }
        return RawURL(scheme: scheme, host: host, port: port, origin: origin)
    }
}
