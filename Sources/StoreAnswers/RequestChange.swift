internal import ProxydCharsets
internal import ProxydExchangeContent
package import ProxydHTTPModel
internal import ProxydHTTPWire
package import ProxydOperations
internal import ProxydParameterCoding

/// A request to send: a captured one with changes, or a new one. Members: `method`, `url`,
/// `headers` as `[[name, value], …]`, and the body as `body_text` or `body_base64`.
package struct RequestChange {
    /// The members that change a request.
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
            url: url,
            head: RequestHead(method: method ?? .get, target: url.origin, fields: head),
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

    /// A field that would end its line could smuggle another one.
    private static func check(_ name: String, _ value: String) throws(AnswerProblem) {
        let isField =
            FieldValidator.isToken(Array(name.utf8).span)
            && FieldValidator.isFieldValue(Array(value.utf8).span)
        guard isField else {
            throw AnswerProblem(.invalid, "headers: this is not a field: \(name)")
        }
    }

    /// The method, which must not be able to end its line either.
    private static func method(
        _ members: BodyMembers
    ) throws(AnswerProblem) -> HTTPMethod? {
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
