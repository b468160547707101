internal import ProxydConfigurationText
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension HeldMessage {
    /// Returns the message with another head, another body, or both.
    /// - Parameters:
    ///   - head: The new head as text; nil to keep it.
    ///   - body: The new content, before content codings; nil to keep it.
    /// - Throws: `badEdit` if the text is not a valid head of this kind, `bodyNotHeld`.
    func edited(head: [UInt8]?, body: [UInt8]?) throws(HoldRefusal) -> Content {
        let readable = readable
        guard body == nil || readable != nil else { throw .bodyNotHeld }
        guard body == nil || readable?.removed.contains(.awsChunked) == false else {
            throw .badEdit("the body is aws-chunked: only the client can sign its chunks anew")
        }
        switch content {
        case .request(let former, let held):
            var request = former
            if let head { request = try HeldHeadText.request(head, inPlaceOf: former) }
            let (new, old) = (request.head.fields, former.head.fields)
            guard let changed = changedBody(body, with: new, formerly: old) else {
                return .request(request, held)
            }
            request.head = request.head.changed(fields: changed.fields(new))
            request.body = changed.length(request.body)
            return .request(request, .whole(changed.body))
        case .response(let former, let held, let request):
            var response = former
            if let head {
                let new = try HeldHeadText.response(head)
                response.head = former.head.changed(
                    status: new.status, reason: new.reason, fields: new.fields)
            }
            let (new, old) = (response.head.fields, former.head.fields)
            guard let changed = changedBody(body, with: new, formerly: old) else {
                return .response(response, held, to: request)
            }
            response.head = response.head.changed(fields: changed.fields(new))
            response.body = changed.length(response.body)
            return .response(response, .whole(changed.body), to: request)
        }
    }

    /// The body that belongs to edited fields; nil if it does not change. If the content coding was
    /// removed or changed, the body is encoded again.
    private func changedBody(
        _ body: [UInt8]?, with fields: HeaderFields, formerly old: HeaderFields
    ) -> BodyEditor.Changed? {
        let codings = BodyEditor.codings(fields)
        let isRecoded = codings != BodyEditor.codings(old)
        let readable = readable
        guard let content = body ?? (isRecoded ? readable?.bytes : nil) else { return nil }
        let missing = isRecoded ? Coding.listed(codings).known : readable?.removed ?? []
        return BodyEditor.Changed(content, codings: codings, removed: missing)
    }

    /// Returns the message with actions applied, written as in a rule's list: `set header:X-A=1`,
    /// or as a table of the file.
    /// - Throws: `badEdit` if an action cannot be parsed, is not an edit, or cannot be applied.
    func edited(by actions: [String]) throws(HoldRefusal) -> Content {
        var edits: [RuleEdit] = []
        for text in actions { edits.append(try HeldMessage.edit(text, in: phase)) }
        let edited = content.edited(by: edits, seeing: body)
        for (outcome, text) in zip(edited.outcomes, actions) {
            try HeldMessage.check(outcome, text)
        }
        switch edited.content {
        case .request(let request, _): try HeldHeadText.check(request.head.bytes)
        case .response(let response, _, _): try HeldHeadText.check(response.head.bytes)
        }
        return edited.content
    }

    private static func check(_ outcome: RuleOutcome, _ text: String) throws(HoldRefusal) {
        if case .notDone(let reason) = outcome { throw .badEdit("\(text): \(reason)") }
    }

    private static func edit(_ text: String, in phase: RulePhase) throws(HoldRefusal) -> RuleEdit {
        let rules: RuleSet
        do {
            let table = try RuleShortForm.table(text)
            let rule = RuleShortForm.rule("hold", when: nil, actions: [(phase, table)])
            rules = try RulesFile.read(rule, file: text, now: 0)
        } catch let problem as RuleShortForm.Problem {
            throw .badEdit("\(text): \(problem)")
        } catch let error as ConfigurationError {
            throw .badEdit("\(text): \(error.problems.first?.message ?? "no action")")
        } catch {
            throw .badEdit("\(text): not an action")
        }
        guard case .edit(let edit)? = rules.rules.first?.actions(in: phase).first?.verb else {
            throw .badEdit("\(text): only set, add, remove and replace change a held message")
        }
        return edit
    }
}

/// Converts heads of held messages to text, and edited text to heads.
enum HeldHeadText {
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// The head of a request, with the full URL in its first line and the Host that is sent.
    static func text(of request: ForwardedRequest) -> [UInt8] {
        var fields = request.head.fields
        let host = sentHost(of: request)
        if fields.first(.host) != nil || request.head.version >= .http2 {
            // An HTTP/2 request may have none; it comes first then (RFC 9110 §7.2).
            if fields.first(.host) == nil {
                fields = HeaderFields([("Host", host)]).appending(fields)
            } else {
                FieldEditor.set("Host", Array(host.utf8), in: &fields)
            }
        }
        var text = Array("\(request.head.method.rawValue) \(request.url) HTTP/1.1".utf8)
        text += lineEnd
        return text + lines(of: fields)
    }

    static func text(of response: ForwardedResponse) -> [UInt8] {
        let head = response.head
        return Array("HTTP/1.1 \(head.status) \(head.reason)".utf8) + lineEnd
            + lines(of: head.fields)
    }

    private static func lines(of fields: HeaderFields) -> [UInt8] {
        var text: [UInt8] = []
        fields.write(into: &text)
        return text + lineEnd
    }

    /// The authority that is sent to the server.
    private static func sentHost(of request: ForwardedRequest) -> String {
        let options = request.options
        let isFromURL =
            options.regeneratesHost
            || (request.head.targetText.contains("://") && !options.keepsHost)
        return isFromURL ? request.url.authority : request.head.authority ?? request.url.authority
    }

    // MARK: Reading

    /// Returns the request described by a text that replaces another request.
    static func request(
        _ text: [UInt8], inPlaceOf former: ForwardedRequest
    ) throws(HoldRefusal) -> ForwardedRequest {
        let head: RequestHead
        do throws(WireError) {
            head = try HeadParser.parseRequestHead(normalized(text))
        } catch {
            throw .badEdit("the head: \(error.message)")
        }
        guard head.method != .connect else {
            throw .badEdit("the head: the method cannot be changed to CONNECT")
        }
        var request = former
        request.url = try url(head.targetText, near: former.url)
        let host = head.fields.value(.host)
        guard host.map(RuleTarget.isAuthority) ?? true else {
            throw .badEdit("the head: Host must be HOST or HOST:PORT")
        }
        let shown = sentHost(of: former)
        var fields = head.fields
        if former.head.version >= .http2, former.head.fields.first(.host) == nil {
            fields.removeAll(named: "Host")
        }
        request.head = former.head.changed(
            method: head.method, authority: host ?? request.url.authority, fields: fields)
        // An unedited Host follows the URL.
        let isMoved = request.url.authority != former.url.authority
        request.options.regeneratesHost = host == nil || (isMoved && host == shown)
        request.options.keepsHost = !request.options.regeneratesHost
        return request
    }

    /// The URL in a request's first line: absolute, or a path on the former server.
    private static func url(_ target: String, near former: RawURL) throws(HoldRefusal) -> RawURL {
        let isPath = target.hasPrefix("/")
        let text = isPath ? "\(former.scheme)://\(former.authority)\(target)" : target
        do throws(WireError) {
            return try RawURL.absolute(Array(text.utf8), inPlaceOf: former)
        } catch {
            throw .badEdit("the head: the first line needs an http or https URL")
        }
    }

    /// Throws if edits have made a head too large.
    static func check(_ head: [UInt8]) throws(HoldRefusal) {
        guard head.count <= WireLimits().headByteCountMax else { throw .tooLarge }
    }

    static func response(_ text: [UInt8]) throws(HoldRefusal) -> ResponseHead {
        let head: ResponseHead
        do throws(WireError) {
            head = try HeadParser.parseResponseHead(normalized(text))
        } catch {
            throw .badEdit("the head: \(error.message)")
        }
        guard (200...599).contains(head.status) else {
            throw .badEdit("the head: a status is from 200 to 599")
        }
        return head
    }

    /// Normalizes line ends to CR LF, with one empty line at the end.
    private static func normalized(_ text: [UInt8]) -> [UInt8] {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.flatMap { $0 + lineEnd } + lineEnd
    }
}

extension HeaderFields {
    fileprivate func appending(_ others: HeaderFields) -> HeaderFields {
        var fields = self
        for line in others.lines {
            fields.append(
                name: Array(others.bytes[line.nameRange]),
                value: Array(others.bytes[line.valueRange]))
        }
        return fields
    }
}
