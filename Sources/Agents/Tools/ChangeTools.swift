internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRedaction
internal import ProxydSystem
internal import Synchronization

/// Tools that change something; each exists only if the policy allows it.
struct ChangeTools {
    let services: AgentServices
    let store: AgentStore

    var all: [Tool] {
        let (policy, actions) = (services.policy, services.actions)
        var tools: [Tool] = []
        if let directory = policy.exportDirectory, let exporting = actions.exporting {
            tools.append(export(exporting, directory))
        }
        if let mayReplay = policy.allowsReplay, let replaying = actions.replaying {
            let tool = ReplayTool(
                store: store, replaying: replaying, recordsElsewhere: actions.recordsElsewhere,
                mayReplay: mayReplay)
            tools.append(tool.tool)
        }
        if policy.allowsAnnotations, let annotating = actions.annotating {
            tools.append(annotate(annotating))
        }
        return tools
    }

    private func annotate(_ annotating: any ExchangeAnnotating) -> Tool {
        Tool(
            "annotate_exchange", "Annotate an exchange",
            "Changes the note, the tags and the pin of an exchange; what is absent stays.",
            effect: .adds,
            [
                .id,
                ToolParameter("note", .nullableText, "The new note; null removes it."),
                ToolParameter("tags", .texts, "All tags; they replace the present ones."),
                ToolParameter("pinned", .flag, "Whether the exchange is kept for good."),
            ], returns: [("exchange", .row)]
        ) { arguments in
            let id = try store.requiredID(arguments)
            let edit = try AnnotationEdit(arguments.members.filter { $0.key != "id" })
            let row = try store.read { (reader) throws(StoreError) in try reader.row(id) }
            guard let row else {
                throw ToolProblem("there is no exchange \(try store.name(of: id))")
            }
            try annotating.annotate([edit.annotation(of: row)])
            return try store.answer(about: id)
        }
    }

    private func export(_ exporting: any ExchangeExporting, _ directory: String) -> Tool {
        Tool(
            "export_exchanges", "Export exchanges",
            """
            Writes the exchanges that match a filter to a file below the directory that the user \
            named, as HAR, JSON lines or a script of curl commands. Answers with the path and the \
            size.
            """, effect: .adds,
            [
                .filter,
                ToolParameter("format", .choice(["har", "jsonl", "curl"]), "har if absent."),
            ],
            returns: [
                ("path", .text), ("bytes", .integer), ("exchanges", .integer),
                ("left_out", .integer),
            ], isCaptured: false
        ) { arguments in
            let filter = try arguments.filter(now: store.now)
            let format = try arguments.choice("format", ExportOrder.Format.self) ?? .har
            var order = ExportOrder(
                selection: .filter(filter.text), format: format,
                isRedacted: !services.policy.showsSecrets)
            order.hiddenNames = services.policy.hiddenNames
            let ending = format == .curl ? "sh" : format.rawValue
            // A name that no other call has: nothing is overwritten.
            let path =
                "\(directory)/exchanges-\(store.now / 1_000_000)-\(UInt32.random(in: 0 ... .max))"
                + ".\(ending)"
            let draft = try FileDraft(of: path)
            let byteCount = Atomic(0)
            let write: @Sendable ([UInt8]) throws -> Void = { bytes in
                try draft.write(bytes)
                byteCount.add(bytes.count, ordering: .relaxed)
            }
            let summary = try exporting.export(order, write: write) { _ in true }
            try draft.commit()
            return .own([
                ("path", .string(path)), ("bytes", .integer(byteCount.load(ordering: .relaxed))),
                ("exchanges", .integer(summary.exchangeCount)),
                ("left_out", .integer(summary.leftOutCount)),
            ])
        }
    }
}

extension AgentStore {
    /// The answer with the row of an exchange that was changed or sent.
    func answer(about id: ExchangeID) throws -> ToolAnswer {
        let row = try rows { (reader) throws(StoreError) in try reader.rows([id]) }.first
        guard let row else { throw ToolProblem("there is no exchange \(try name(of: id))") }
        return .captured(
            [("exchange", .members(BriefRow.members(row)))],
            from: "exchange \(row.idText)", advice: "call show_exchange")
    }
}

/// `replay_exchange`: sends a captured request again, to the server that got it and nowhere else:
/// its credentials, which the agent does not see, must not reach another one.
struct ReplayTool {
    let store: AgentStore
    let replaying: any ExchangeReplaying
    let recordsElsewhere: Bool
    let mayReplay: @Sendable (String, UInt16) -> Bool

    var tool: Tool {
        Tool(
            "replay_exchange", "Send a request again",
            """
            Sends a captured request again to its server, unchanged or with changes, and records \
            the result as a new exchange. What is not changed is sent as it was captured, with \
            the credentials that are hidden in answers. The user allowed this for some hosts only.
            """, effect: .sends,
            [
                .id,
                ToolParameter("method", .text, "Another method."),
                ToolParameter("url", .text, "Another URL of the same server."),
                ToolParameter(
                    "set_headers", .pairs,
                    "Header fields to set, as [[name, value], …]; the others stay as captured."),
                ToolParameter("remove_headers", .texts, "Names of header fields to leave out."),
                ToolParameter("body_text", .text, "Another body, as text."),
                ToolParameter("body_base64", .text, "Another body, as Base64."),
            ],
            returns: [("exchange?", .row), ("recorded_as?", .text), ("in?", .text)],
            isCaptured: !recordsElsewhere, answer)
    }

    private func answer(_ arguments: ToolArguments) throws -> ToolAnswer {
        let id = try store.requiredID(arguments)
        let subject = try store.read { (reader) throws(StoreError) in
            try reader.captured(id)
        }
        guard let subject else {
            throw ToolProblem("there is no exchange \(try store.name(of: id))")
        }
        let original = subject.exchange.request
        guard let origin = original.url.map(Origin.init) else {
            throw ToolProblem("the request was not understood, so it cannot be sent again")
        }
        guard mayReplay(origin.host, origin.port) else {
            throw ToolProblem.notAllowed("--allow-replay \(origin.host):\(origin.port)")
        }
        let changes = try BodyMembers(changes(arguments, original), known: RequestChange.names)
        guard !(try RequestChange.isExact(changes)) else { return try answer(about: repeated(id)) }
        try ReplayTool.refusePlaceholder(in: arguments)
        let request = try RequestChange(changes, of: original).request
        guard request.url.map(Origin.init) == origin else {
            throw ToolProblem("url must name the server that got the captured request")
        }
        let new = try replaying.send(
            request, repeating: id, by: ReplayRoute(),
            isCancelled: { ReadCancellation.isCurrentCancelled })
        return try answer(about: new)
    }

    private func answer(about new: ExchangeID) throws -> ToolAnswer {
        guard recordsElsewhere else { return try store.answer(about: new) }
        return .own([("recorded_as", .string("\(new)")), ("in", .string("the data directory"))])
    }

    // MARK: Changes

    /// Fields by which a server, or a proxy before it, could hand the request to another one.
    private static let routingFields: Set<String> = [
        "host", "forwarded", "x-forwarded-host", "x-forwarded-server", "x-forwarded-port",
        "x-forwarded-proto", "x-forwarded-scheme", "x-host", "x-original-host", "x-original-url",
        "x-rewrite-url", "x-http-host-override", "x-http-destinationurl", "via",
    ]

    /// The members of the change, with all header fields.
    private func changes(
        _ arguments: ToolArguments, _ original: Request
    ) throws -> [String: JSONValue] {
        var members = arguments.members.filter {
            ["method", "url", "body_text", "body_base64"].contains($0.key)
        }
        let set = try ReplayTool.pairs(arguments.members["set_headers"])
        let removed = try ReplayTool.names(arguments.members["remove_headers"])
        let names = set.map(\.name) + removed
        guard !names.isEmpty else { return members }
        if let name = names.first(where: { ReplayTool.routingFields.contains($0.lowercased()) }) {
            throw ToolProblem("\(name) cannot be changed: it could lead to another server")
        }
        let replaced = Set(names.map { $0.lowercased() })
        let kept = (original.head?.fields ?? HeaderFields()).pairs.filter {
            !replaced.contains($0.name.lowercased())
        }
        members["headers"] = .array(
            (kept.map { ($0.name, $0.value) } + set).map { .array([.string($0), .string($1)]) })
        return members
    }

    private static func pairs(_ value: JSONValue?) throws -> [(name: String, value: String)] {
        guard let value else { return [] }
        return try value.elements.map { pair in
            guard pair.elements.count == 2, let name = pair.elements[0].text,
                let text = pair.elements[1].text
            else { throw ToolProblem("set_headers must be [[name, value], …]") }
            return (name, text)
        }
    }

    private static func names(_ value: JSONValue?) throws -> [String] {
        try (value?.elements ?? []).map { element in
            guard let name = element.text else {
                throw ToolProblem("remove_headers must be an array of names")
            }
            return name
        }
    }

    /// Agents see placeholders instead of credentials, and must not send a placeholder.
    private static func refusePlaceholder(in arguments: ToolArguments) throws {
        let placeholder = Array(Redaction.placeholder.utf8)
        for name in ["url", "set_headers", "body_text"] {
            guard let value = arguments.members[name],
                MCPServer.text(value).firstRange(of: placeholder) != nil
            else { continue }
            throw ToolProblem(
                "\(name) contains REDACTED, which hides a credential that you cannot see; "
                    + "what you do not change is sent as it was captured")
        }
    }

    // MARK: Sending

    /// Sends the captured bytes; returns the number of the new exchange.
    private func repeated(_ id: ExchangeID) throws -> ExchangeID {
        let outcome = OutcomeBox()
        try replaying.replay(
            ReplayOrder(ids: [id]), isCancelled: { ReadCancellation.isCurrentCancelled },
            onResult: { outcome.set($0) })
        guard let new = outcome.value?.id else {
            throw ToolProblem(outcome.value?.advice ?? outcome.value?.problem ?? "nothing was sent")
        }
        return new
    }

    private struct Origin: Equatable {
        let scheme: String
        let host: String
        let port: UInt16

        init(_ url: RawURL) {
            scheme = url.scheme
            host = url.host.lowercased()
            port = url.port
        }
    }
}
