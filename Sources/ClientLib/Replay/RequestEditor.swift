internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// One change to a request before it is sent again.
public enum ReplayEdit: Sendable, Hashable {
    /// Sets one line of the name, at the position of the first; nil removes all.
    case header(name: String, value: String?)
    /// Sets the first pair of the name in the query, or appends one; nil removes all of the name.
    case query(name: String, value: String?)
    /// Sets the first pair of the name in the form, or appends one; nil removes all of the name.
    case form(name: String, value: String?)
    /// Sets a value in the JSON body, given as JSON or otherwise as a string; nil removes it. Paths
    /// look like `a.x[2].y`, names with a dot like `a["x.y"]`.
    case json(path: String, value: String?)
    case method(String)
    /// The whole URL or, if the text starts with `/`, its path and query.
    case url(String)

    /// Reads `header:NAME=VALUE`, `query:NAME=VALUE`, `form:NAME=VALUE`, `json:PATH=VALUE`,
    /// `method=METHOD`, `url=URL`.
    /// - Throws: `.edit` with `.unknownForm`.
    public init(setting text: String) throws(ReplayRefusal) {
        if let value = text.dropping("method=") {
            self = .method(value)
        } else if let value = text.dropping("url=") {
            self = .url(value)
        } else if let rest = text.dropping("json:"), let (path, value) = Self.split(rest) {
            self = .json(path: path, value: value)
        } else {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .edit(text, .unknownForm) }
            try self.init(target: String(parts[0]), value: String(parts[1]), text)
        }
    }

    /// Reads `header:NAME`, `query:NAME`, `form:NAME` or `json:PATH`, to be removed.
    /// - Throws: `.edit` with `.unknownForm`.
    public init(removing text: String) throws(ReplayRefusal) {
        if let path = text.dropping("json:"), !path.isEmpty {
            self = .json(path: path, value: nil)
        } else {
            try self.init(target: text, value: nil, text)
        }
    }

    private init(target: String, value: String?, _ text: String) throws(ReplayRefusal) {
        if let name = target.dropping("header:"), !name.isEmpty {
            self = .header(name: name, value: value)
        } else if let name = target.dropping("query:") {
            self = .query(name: name, value: value)
        } else if let name = target.dropping("form:") {
            self = .form(name: name, value: value)
        } else {
            throw .edit(text, .unknownForm)
        }
    }

    /// Splits a path from the text after its `=`; one inside `["…"]` belongs to the path.
    private static func split(_ text: String) -> (String, String)? {
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "=") where !isQuoted:
                return (String(text[..<index]), String(text[text.utf8.index(after: index)...]))
            default: break
            }
        }
        return nil
    }
}

extension ReplayEdit: CustomStringConvertible {
    /// The edited part, without the value: `header:NAME`.
    public var description: String {
        switch self {
        case .header(let name, _): "header:\(name)"
        case .query(let name, _): "query:\(name)"
        case .form(let name, _): "form:\(name)"
        case .json(let path, _): "json:\(path)"
        case .method: "method"
        case .url: "url"
        }
    }
}

extension String {
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}

/// Edits a request, changing only the bytes of the edited parts.
struct RequestEditor {
    private(set) var request: HTTPRequest
    /// Whether the Host field was edited and must be kept.
    private(set) var keepsHost = false

    init(_ request: HTTPRequest) { self.request = request }

    /// Applies the edits: method and URL first, the others in order.
    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    mutating func apply(_ edits: [ReplayEdit]) throws(ClientError) {
        for edit in edits {
            switch edit {
            case .method(let name): try setMethod(name)
            case .url(let text): try setURL(text)
            case .header, .query, .form, .json: continue
            }
        }
        for edit in edits {
            switch edit {
            case .method, .url: continue
            case .header(let name, let value): try setHeader(name, value, edit)
            case .query(let name, let value): setQuery(name, value)
            case .form(let name, let value): try setForm(name, value, edit)
            case .json(let path, let value): try setJSON(path, value, edit)
            }
        }
    }

    // MARK: Head

    private mutating func setMethod(_ name: String) throws(ClientError) {
        let bytes = Array(name.utf8)
        guard FieldValidator.isToken(bytes.span), name != "CONNECT" else {
            throw ClientError(.invalidRequest(.badMethod))
        }
        request.method = HTTPMethod(rawValue: name)
    }

    private mutating func setURL(_ text: String) throws(ClientError) {
        guard text.hasPrefix("/") else {
            request.url = try RawURL(text)
            return
        }
        let origin = Array(text.utf8)
        guard FieldValidator.isRequestTarget(origin.span) else {
            throw ClientError(.invalidRequest(.badTarget))
        }
        let url = request.url
        request.url = RawURL(scheme: url.scheme, host: url.host, port: url.port, origin: origin)
    }

    /// Fields composed anew for each connection; editing them would have no effect.
    private static let connectionNames: Set<FieldName> = [
        .connection, .contentLength, .http2Settings, .keepAlive, .proxyAuthorization,
        .proxyConnection, .te, .transferEncoding, .upgrade,
    ]

    private mutating func setHeader(
        _ name: String, _ value: String?, _ edit: ReplayEdit
    ) throws(ClientError) {
        let bytes = Array(name.utf8)
        guard FieldValidator.isToken(bytes.span) else {
            throw ClientError(.invalidRequest(.badFieldName))
        }
        let known = FieldName(bytes.span)
        guard !RequestEditor.connectionNames.contains(known) else {
            throw refusal(edit, .belongsToConnection)
        }
        guard let value else { return request.fields.removeAll(named: name) }
        let valueBytes = Array(value.utf8)
        guard FieldValidator.isFieldValue(valueBytes.span) else {
            throw ClientError(.invalidRequest(.badFieldValue(name: name)))
        }
        request.fields.set(name: name, value: value)
        if known == .host { keepsHost = true }
    }

    private mutating func setQuery(_ name: String, _ value: String?) {
        let url = request.url
        var pairs = QueryDecoder().decode(Array(url.query ?? []))
        pairs.edit(name, value)
        let query = pairs.bytes
        request.url = RawURL(
            scheme: url.scheme, host: url.host, port: url.port,
            origin: Array(url.path) + (query.isEmpty ? [] : [UInt8(ascii: "?")] + query))
    }

    // MARK: Body

    private mutating func setForm(
        _ name: String, _ value: String?, _ edit: ReplayEdit
    ) throws(ClientError) {
        let type = request.fields.value(.contentType).flatMap { MediaType($0) }
        let content = try content(edit)
        guard type?.essence == "application/x-www-form-urlencoded" else {
            return try setPart(name, value, edit, in: content, type)
        }
        var pairs = FormDecoder.form(content, declaredCharset: type?.charset)
        pairs.edit(name, value)
        request.body = .bytes(pairs.bytes)
    }

    /// Sets a field of a multipart form; the bytes of all others are unchanged.
    private mutating func setPart(
        _ name: String, _ value: String?, _ edit: ReplayEdit, in content: [UInt8],
        _ type: MediaType?
    ) throws(ClientError) {
        guard
            case .multipartForm(let boundary) = BodyKind.detect(
                contentType: type, bytes: content.span),
            var parts = EncodedParts(content, boundary: boundary, declaredCharset: type?.charset)
        else { throw refusal(edit, .notForm) }
        do throws(EncodedParts.FieldProblem) {
            if let value {
                try parts.setField(named: name, to: value)
            } else {
                parts.removeAll(named: name)
            }
        } catch {
            switch error {
            case .isFile: throw refusal(edit, .file)
            case .boundaryInValue: throw refusal(edit, .boundaryInValue)
            }
        }
        request.body = .bytes(parts.bytes)
    }

    private mutating func setJSON(
        _ path: String, _ value: String?, _ edit: ReplayEdit
    ) throws(ClientError) {
        let bytes = try content(edit)
        let type = request.fields.value(.contentType).flatMap { MediaType($0) }
        let text = BodyText(bytes.span, contentType: type)
        let edited: [UInt8]
        do throws(JSONPathError) {
            var editor = try JSONTextEditor(text.utf8(of: bytes))
            let path = try JSONValuePath(path)
            if let value {
                try editor.set(RequestEditor.parameter(value), at: path)
            } else {
                try editor.remove(at: path)
            }
            edited = editor.bytes
        } catch {
            switch error {
            case .notJSON: throw refusal(edit, .notJSON)
            case .cannotBeWritten: throw refusal(edit, .badValue)
            case .badPath, .wrongContainer, .noSuchElement, .rootCannotBeRemoved:
                throw refusal(edit, .badPath)
            }
        }
        do throws(UnencodableCharacter) {
            request.body = .bytes(try text.bytes(of: edited, inPlaceOf: bytes))
        } catch {
            throw refusal(edit, .lacking("\(error)"))
        }
    }

    /// Text that is not JSON becomes a string.
    private static func parameter(_ text: String) -> Parameter {
        let bytes = Array(text.utf8)
        return (try? JSONReader().read(bytes)) == nil ? .string(text) : .raw(bytes)
    }

    /// The body without its content codings, which an edited body does not get again. Codings that
    /// the body lacks despite its Content-Encoding stay in that field.
    private mutating func content(_ edit: ReplayEdit) throws(ClientError) -> [UInt8] {
        guard case .bytes(let bytes) = request.body else { return [] }
        guard request.fields.first(.contentEncoding) != nil else { return bytes }
        let codings = request.fields.values(named: "Content-Encoding").joined(separator: ",")
        let decoded = ContentDecoder.decode(bytes.span, contentEncoding: codings)
        guard decoded.failure == nil else { throw refusal(edit, .undecodable) }
        guard !decoded.removed.contains(.awsChunked) else { throw refusal(edit, .signedChunks) }
        guard !decoded.removed.isEmpty else { return decoded.bytes }
        request.fields.removeAll(named: "Content-Encoding")
        if let left = Coding.value(codings, without: decoded.removed) {
            request.fields.append(name: "Content-Encoding", value: left)
        }
        return decoded.bytes
    }

    private func refusal(_ edit: ReplayEdit, _ problem: ReplayRefusal.EditProblem) -> ClientError {
        ClientError(.replayRefused(.edit(edit.description, problem)))
    }
}

extension EncodedPairs {
    /// Sets the first pair of a name, or adds one at the end; nil removes all of the name.
    fileprivate mutating func edit(_ name: String, _ value: String?) {
        if let value { setFirst(named: name, to: value) } else { removeAll(named: name) }
    }
}
