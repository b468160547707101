package import ProxydCaptureModel
internal import ProxydCharsets
internal import ProxydExchangeContent
package import ProxydHTTPModel
internal import ProxydHTTPWire
package import ProxydParameterCoding
internal import Synchronization

/// The members of a JSON object that a client sent. Unknown members are refused, because they were
/// meant to change something.
package struct BodyMembers {
    private let members: [String: JSONValue]

    /// - Parameter known: The names that may occur.
    /// - Throws: if there is a member with another name.
    package init(_ members: [String: JSONValue], known: [String]) throws(AnswerProblem) {
        self.members = members
        let unknown = members.keys.filter { !known.contains($0) }.min()
        guard let unknown else { return }
        let names = known.isEmpty ? "the body has none" : known.joined(separator: ", ")
        throw AnswerProblem(.invalid, "there is no member \"\(unknown)\": \(names)")
    }

    package subscript(_ name: String) -> JSONValue? { members[name] }

    /// A truth value, or nil if it is absent.
    package func bool(_ name: String) throws(AnswerProblem) -> Bool? {
        switch members[name] {
        case nil: nil
        case .bool(let value): value
        default: throw AnswerProblem(.invalid, "\(name) must be true or false")
        }
    }

    /// A text, or nil if it is absent or null.
    package func text(_ name: String) throws(AnswerProblem) -> String? {
        switch members[name] {
        case nil, .null: nil
        case .string(let text): text
        default: throw AnswerProblem(.invalid, "\(name) must be a text")
        }
    }

    /// An array of texts; empty if it is absent or null.
    package func texts(_ name: String) throws(AnswerProblem) -> [String] {
        switch members[name] {
        case nil, .null: return []
        case .array(let values): return try BodyMembers.texts(values, name)
        default: throw BodyMembers.notTexts(name)
        }
    }

    fileprivate static func texts(
        _ values: [JSONValue], _ name: String
    ) throws(AnswerProblem) -> [String] {
        try values.map { (value) throws(AnswerProblem) in
            guard case .string(let text) = value else { throw notTexts(name) }
            return text
        }
    }

    fileprivate static func notTexts(_ name: String) -> AnswerProblem {
        AnswerProblem(.invalid, "\(name) must be an array of texts")
    }

    package func requiredBool(_ name: String) throws(AnswerProblem) -> Bool {
        guard let value = try bool(name) else {
            throw AnswerProblem(.invalid, "\(name) must be true or false")
        }
        return value
    }

    package func requiredText(_ name: String) throws(AnswerProblem) -> String {
        guard let text = try text(name) else {
            throw AnswerProblem(.invalid, "\(name) must be a text")
        }
        return text
    }
}

/// The body of `PATCH /exchanges/{id}`: `note` (null removes it), `tags` (replaces all) and
/// `pinned`; members that are absent change nothing.
package struct AnnotationEdit {
    private var note: String?
    private var tags: [String]?
    private var isPinned: Bool?

    package static let names = ["note", "tags", "pinned"]

    package init(_ members: [String: JSONValue]) throws(AnswerProblem) {
        try self.init(BodyMembers(members, known: AnnotationEdit.names))
    }

    package init(_ members: BodyMembers) throws(AnswerProblem) {
        switch members["note"] {
        case nil: break
        case .null: note = ""
        case .string(let text): note = try AnnotationEdit.checked(text)
        default: throw AnswerProblem(.invalid, "note must be a text or null")
        }
        switch members["tags"] {
        case nil: break
        case .array(let values): tags = try AnnotationEdit.tags(values)
        default: throw BodyMembers.notTexts("tags")
        }
        isPinned = try members.bool("pinned")
    }

    /// The most tags, and the most bytes of a note or of a tag.
    private static let tagCountMax = 100
    private static let textByteCountMax = 16 << 10

    private static func tags(_ values: [JSONValue]) throws(AnswerProblem) -> [String] {
        guard values.count <= tagCountMax else {
            throw AnswerProblem(.invalid, "an exchange has at most \(tagCountMax) tags")
        }
        return try BodyMembers.texts(values, "tags").map(checked)
    }

    private static func checked(_ text: String) throws(AnswerProblem) -> String {
        guard text.utf8.count <= textByteCountMax else {
            throw AnswerProblem(.invalid, "a note or a tag has at most \(textByteCountMax) bytes")
        }
        return text
    }

    package func annotation(of row: ExchangeRow) -> AnnotationChange {
        let wanted = tags ?? row.tags
        return AnnotationChange(
            id: row.id, note: note, addedTags: wanted.filter { !row.tags.contains($0) },
            removedTags: row.tags.filter { !wanted.contains($0) }, isPinned: isPinned)
    }
}

/// A request to send: a captured one with changes, or a new one. Members: `method`, `url`,
/// `headers` as `[[name, value], …]`, and the body as `body_text` or `body_base64`.
package struct RequestChange {
    package static let names = ["method", "url", "headers", "body_text", "body_base64"]

    package let request: Request

    /// Whether nothing is changed, so that the captured bytes are sent.
    package static func isExact(_ members: BodyMembers) throws(AnswerProblem) -> Bool {
        try members.bool("exact") != false && !names.contains { members[$0] != nil }
    }

    /// Certificates are verified, unless `verify` is false.
    package static func route(_ members: BodyMembers) throws(AnswerProblem) -> ReplayRoute {
        ReplayRoute(isVerified: try members.bool("verify") ?? true)
    }

    package init(_ members: BodyMembers, of original: Request?) throws(AnswerProblem) {
        let url = try RequestChange.url(members["url"]) ?? original?.url
        guard let url else { throw AnswerProblem(.invalid, "url is missing") }
        let method = try RequestChange.method(members) ?? original?.method
        let fields = try RequestChange.fields(members["headers"]) ?? original?.head?.fields
        var head = fields ?? HeaderFields()
        var body = original?.body ?? Body()
        let type = head.value(.contentType).flatMap { MediaType($0) }
        if let new = try RequestChange.body(members, type) {
            // A coding that the captured body never had is not missing from the new one.
            let kept = original.flatMap { BodyContent($0.body, $0.head?.fields).remainingEncoding }
            body = Body(new)
            head.removeAll(named: "Content-Encoding")
            if let kept { head.append(name: "Content-Encoding", value: kept) }
        } else if body.isTruncated {
            throw AnswerProblem(.conflict, "the captured body is not whole; give a new one")
        }
        request = Request(
            url: url, head: RequestHead(method: method ?? .get, target: url.origin, fields: head),
            body: body)
    }

    // MARK: Members

    private static func url(_ value: JSONValue?) throws(AnswerProblem) -> RawURL? {
        guard let value else { return nil }
        guard case .string(let text) = value else {
            throw AnswerProblem(.invalid, "url must be a text")
        }
        do throws(WireError) {
            if let url = try RawURL(typed: text) { return url }
        } catch {
            throw AnswerProblem(.invalid, "url: \(error.message)")
        }
        throw AnswerProblem(.invalid, "url must be http://HOST/PATH or https://HOST/PATH")
    }

    private static func fields(_ value: JSONValue?) throws(AnswerProblem) -> HeaderFields? {
        guard let value else { return nil }
        guard case .array(let lines) = value else {
            throw AnswerProblem(.invalid, "headers must be [[name, value], …]")
        }
        var fields = HeaderFields()
        for line in lines {
            guard case .array(let pair) = line, pair.count == 2,
                case .string(let name) = pair[0], case .string(let value) = pair[1]
            else { throw AnswerProblem(.invalid, "headers must be [[name, value], …]") }
            try check(name, value)
            fields.append(name: name, value: value)
        }
        return fields
    }

    /// A field with a line end could smuggle in another one.
    private static func check(_ name: String, _ value: String) throws(AnswerProblem) {
        let isField =
            FieldValidator.isToken(Array(name.utf8).span)
            && FieldValidator.isFieldValue(Array(value.utf8).span)
        guard isField else {
            throw AnswerProblem(.invalid, "headers: this is not a field: \(name)")
        }
    }

    /// The method, which must not be able to end its line either.
    private static func method(_ members: BodyMembers) throws(AnswerProblem) -> HTTPMethod? {
        guard let text = try members.text("method") else { return nil }
        guard FieldValidator.isToken(Array(text.utf8).span), text != "CONNECT" else {
            throw AnswerProblem(.invalid, "method must be a token other than CONNECT")
        }
        return HTTPMethod(rawValue: text)
    }

    /// The body; text is encoded in the charset that Content-Type declares.
    private static func body(
        _ members: BodyMembers, _ type: MediaType?
    ) throws(AnswerProblem) -> [UInt8]? {
        let (plain, encoded) = (try members.text("body_text"), try members.text("body_base64"))
        guard plain == nil || encoded == nil else {
            throw AnswerProblem(.invalid, "give body_text or body_base64, not both")
        }
        if let plain {
            do throws(UnencodableCharacter) {
                return try BodyText.bytes(of: plain, contentType: type)
            } catch {
                throw AnswerProblem(.invalid, "body_text: \(error)")
            }
        }
        guard let text = encoded else { return nil }
        guard let bytes = Base64.bytes(text) else {
            throw AnswerProblem(.invalid, "body_base64 is not Base64")
        }
        return bytes
    }
}

/// Takes the outcome of a replay from the thread that ran it.
package final class OutcomeBox: Sendable {
    private let outcome = Mutex<ReplayOutcome?>(nil)

    package init() {}

    package var value: ReplayOutcome? { outcome.withLock { $0 } }

    package func set(_ value: ReplayOutcome) { outcome.withLock { $0 = value } }
}
