internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydParameterCoding
internal import ProxydOperations

/// Sending, the editor and the clipboard.
extension ComposeScreen {
    mutating func send() -> [Effect] {
        guard let draft = grid?.draft else { return [] }
        if draft.body.isIncomplete {
            return [.notify(.problem("the body is not complete: replace or remove it"))]
        }
        return [.work(Work("check", on: .details) { _ in .checked(draft.jsonProblem) })]
    }

    mutating func sendAsItIs() -> [Effect] {
        guard let draft = grid?.draft else { return [] }
        if let hold { return resume(hold, draft) }
        let request = draft.request
        sent = request
        return [.ask(SendScreen(.composed(request, of: original))) { .focused($0) }]
    }

    /// Lets a held request continue as it is here; unchanged parts keep their original bytes.
    private mutating func resume(_ hold: any OpenedHold, _ draft: RequestDraft) -> [Effect] {
        let text = HeadText.bytes(of: draft)
        let head = former.map { HeadText.bytes(of: $0) } == text ? nil : text
        let content = draft.body.isEdited ? draft.body.bytes : nil
        let work = HoldWork.decide("the message goes on") {
            try hold.resume(head: head, content: content)
        }
        return [.work(work.map { .decided($0) })]
    }

    mutating func sendAnotherWay() -> [Effect] {
        guard hold == nil else { return send() }
        guard let draft = grid?.draft, !draft.body.isIncomplete else {
            return [.notify(.problem("the body is not complete: replace or remove it"))]
        }
        return [.ask(FormDialog.sending(draft.request, of: original)) { .focused($0) }]
    }

    mutating func askAboutJSON(_ problem: JSONSyntaxError) -> [Effect] {
        if grid?.text.lines?.indices.contains(problem.line - 1) == true {
            cursor = .item(.body, problem.line - 1)
        }
        return [
            .ask(
                ChoiceScreen<Choice>(
                    "JSON, \(problem)",
                    [
                        .init(key: Key("b"), name: "edit the body in $EDITOR", answer: .editBody),
                        .init(key: Key("s"), name: "send it as is", answer: .sendAnyway),
                        .init(key: Key("n"), name: "keep editing here", answer: .keepEditing),
                    ])
            ) { .chosen($0) }
        ]
    }

    // MARK: The editor

    mutating func edit(_ what: Edited) -> [Effect] {
        guard let draft = grid?.draft else { return [] }
        edited = what
        switch what {
        case .head:
            let bytes = refusedHead ?? HeadText.bytes(of: draft)
            return [.edit(EditRequest(fileExtension: "http", bytes: bytes))]
        case .body:
            let fileExtension = draft.isJSON ? "json" : "txt"
            return [.edit(EditRequest(fileExtension: fileExtension, bytes: draft.text))]
        case .part(let index):
            let content = grid?.part(index)?.content ?? []
            return [.edit(EditRequest(fileExtension: "txt", bytes: content))]
        }
    }

    /// Formats JSON, or puts it on one line if it is formatted. Its tokens are unchanged.
    mutating func layOutBody() -> [Effect] {
        guard let draft = grid?.draft, draft.isJSON, !draft.body.bytes.isEmpty else {
            return [.notify(.information("the body is not JSON"))]
        }
        if let problem = draft.jsonProblem { return [.notify(.problem("JSON, \(problem)"))] }
        let text = draft.text
        let indented = JSONTextLayout.indented(text)
        try? grid?.draft.setText(text == indented ? JSONTextLayout.compact(text) : indented)
        if !rows.contains(cursor) { cursor = .method }
        return []
    }

    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect] {
        guard let bytes = edited.bytes, let draft = grid?.draft else { return [] }
        defer { if !rows.contains(cursor) { cursor = .method } }
        switch self.edited {
        case .head: return take(head: bytes, draft)
        case .body:
            do throws(RequestDraft.Problem) {
                try grid?.draft.setText(ComposeScreen.withoutAddedEnd(bytes, former: draft.text))
            } catch {
                return [.notify(.problem(error.description))]
            }
            if let problem = grid?.jsonProblem { return [.notify(.problem("JSON, \(problem)"))] }
            return [.notify(.success("the body was changed"))]
        case .part(let index): return take(part: index, bytes)
        }
    }

    private mutating func take(head bytes: [UInt8], _ draft: RequestDraft) -> [Effect] {
        do throws(RequestDraft.Problem) {
            grid?.draft.take(try HeadText(bytes, former: draft))
            refusedHead = nil
            return [.notify(.success("the head was changed"))]
        } catch {
            refusedHead = bytes
            return [.notify(.problem("e opens it again: \(error.description)"))]
        }
    }

    private mutating func take(part index: Int, _ bytes: [UInt8]) -> [Effect] {
        let former = grid?.part(index)?.content ?? []
        do throws(RequestDraft.Problem) {
            try grid?.setContent(
                ComposeScreen.withoutAddedEnd(bytes, former: former), ofPart: index)
            return [.notify(.success("the part was changed"))]
        } catch {
            return [.notify(.problem(error.description))]
        }
    }

    /// Removes the line break that editors add at the end of a text, unless the body had one.
    private static func withoutAddedEnd(_ bytes: [UInt8], former: [UInt8]) -> [UInt8] {
        guard bytes.last == 0x0A, former.last != 0x0A else { return bytes }
        return bytes.dropLast()
    }

    // MARK: The clipboard

    func copy(_ action: ActionID) -> [Effect] {
        guard let draft = grid?.draft else { return [] }
        if action == .copyURL { return [.copy(CopiedText(name: "URL", draft.url.description))] }
        guard let text = CopiedText(curl: draft.request, nil) else {
            return [.notify(.problem(CopiedText.noCurl))]
        }
        return [.copy(text)]
    }
}
