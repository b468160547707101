internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydStoreAnswers
internal import ProxydSystem
internal import Synchronization

/// Tools that change something; each exists only if the policy allows it.
struct ChangeTools {
    private let services: AgentServices
    private let store: AgentStore

    init(_ services: AgentServices, _ store: AgentStore) {
        self.services = services
        self.store = store
    }

    var all: [Tool] {
        let (policy, actions) = (services.policy, services.actions)
        var tools: [Tool] = []
        if let directory = policy.exportDirectory, let exporting = actions.exporting {
            tools.append(export(exporting, directory))
        }
        if let mayReplay = policy.allowsReplay, let replaying = actions.replaying {
            let tool = ReplayTool(
                store, replaying, recordsElsewhere: actions.recordsElsewhere, mayReplay)
            tools.append(tool.tool)
        }
        if policy.allowsAnnotations, let annotating = actions.annotating {
            tools.append(annotate(annotating))
        }
        return tools
    }

    // MARK: Annotations

    private func annotate(_ annotating: any Annotating) -> Tool {
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

    // MARK: Export

    private func export(_ exporting: any Exporting, _ directory: String) -> Tool {
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
