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
            if let head { request = try HeldHead.request(head, inPlaceOf: former) }
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
                let new = try HeldHead.response(head)
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
        case .request(let request, _): try HeldHead.check(request.head.bytes)
        case .response(let response, _, _): try HeldHead.check(response.head.bytes)
        }
        return edited.content
    }

    private static func check(_ outcome: RuleOutcome, _ text: String) throws(HoldRefusal) {
        if case .notDone(let reason) = outcome { throw .badEdit("\(text): \(reason)") }
    }

    private static func edit(
        _ text: String, in phase: RulePhase
    ) throws(HoldRefusal) -> RuleEdit {
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
