internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydRedaction
internal import ProxydHTTPModel

/// Actions with effects outside the store: sending again, exporting, saving.
enum SendingActions {
    /// The maximum size in bytes of a complete body that is copied.
    private static let copiedByteCountMax = 16 << 20

    /// The effects of an action; empty if it is not one of these.
    static func effects(_ action: ActionID, _ chosen: ChosenRows) -> [RowActions.Effect] {
        let row = chosen.row
        switch action {
        case .editRequest: return [.open(ComposeScreen(row))]
        case .replay: return [.ask(SendScreen(.again(row))) { .focused($0) }]
        case .repeatMany: return [.ask(FormDialog.repeating(chosen)) { .focused($0) }]
        case .export: return [.ask(FormDialog.exporting(chosen)) { .focused($0) }]
        case .saveStoredBody:
            let type = BodyFacts(contentType: row.responseContentType, bytes: [0x20])
            return [
                .ask(
                    FormDialog.savingBody(
                        row, .response, fileExtension: DetailScreen.fileExtension(type))
                ) { .focused($0) }
            ]
        case .copyCurlRedacted: return [copyCurl(row.id)]
        case .copyRequestHead: return [copyHead(row.id)]
        case .copyRequestBody: return [copyBody(row.id)]
        default: return RuleActions.effects(action, row)
        }
    }

    private static func copyCurl(_ id: ExchangeID) -> RowActions.Effect {
        copying { context in
            let exchange = try exchange(id, context)
            let options = CurlOptions(redaction: Redaction())
            guard let command = CurlCommand(exchange.request, options: options) else {
                throw WorkFailure("this request cannot be written as a curl command")
            }
            return CopiedText(name: "curl command", command.text(.multiLine))
        }
    }

    private static func copyHead(_ id: ExchangeID) -> RowActions.Effect {
        copying { context in
            guard let bytes = try context.exchanges.headBytes(id, .request) else {
                throw WorkFailure("there is no head")
            }
            return CopiedText(name: "head", bytes: bytes)
        }
    }

    private static func copyBody(_ id: ExchangeID) -> RowActions.Effect {
        copying { context in
            let request = try exchange(id, context).request
            let body = DraftBody(request.body, request.head?.fields ?? HeaderFields())
            guard !body.bytes.isEmpty else { throw WorkFailure("the body is empty") }
            return CopiedText(name: "body", bytes: body.bytes)
        }
    }

    private static func copying(
        _ body: @escaping @Sendable (WorkContext) throws -> CopiedText
    ) -> RowActions.Effect {
        .work(Work("copy", on: .details) { .copied(try body($0)) })
    }

    private static func exchange(_ id: ExchangeID, _ context: WorkContext) throws -> Exchange {
        guard
            let exchange = try context.exchanges.exchange(
                id, bodyByteCountMax: copiedByteCountMax)
        else { throw WorkFailure("exchange \(try context.rows.name(of: id)) no longer exists") }
        return exchange
    }
}
