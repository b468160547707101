internal import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydRedaction

/// The results of actions on an exchange, on any screen that shows one.
enum RowNews: Sendable {
    case copied(CopiedText)
    /// A note, tags or a pin that the user entered.
    case annotate(AnnotationChange)
    /// The exchange was changed; the notice to show.
    case changed(Notice)
    case focused(Filter)

    var notice: Notice? {
        guard case .changed(let notice) = self else { return nil }
        return notice
    }
}

enum RowActions {
    typealias Effect = ScreenEffect<RowNews, Never>

    /// The maximum number of body bytes that are read for copying.
    private static let copiedByteCountMax = 16 << 20

    /// The effects of an action on an exchange; empty for other actions.
    static func effects(
        _ action: ActionID, _ row: ExchangeRow, _ chosen: ChosenRows? = nil
    ) -> [Effect] {
        let (id, name) = (row.id, row.idText)
        switch action {
        case .note:
            return [
                .ask(PromptScreen("Note on \(name)", row.note ?? "")) {
                    .annotate(AnnotationChange(id: id, note: $0))
                }
            ]
        case .tag:
            return [
                .ask(PromptScreen("Tags for \(name)", "")) { .annotate(RowActions.tags($0, id)) }
            ]
        case .pin: return [annotate(AnnotationChange(id: id, isPinned: !row.isPinned))]
        case .toggleInterception:
            guard let host = row.host, let port = row.port.flatMap({ UInt16(exactly: $0) }) else {
                return [.notify(.problem("there is no host"))]
            }
            return [.act(DaemonWork.toggleInterception(ofHost: host, port: port))]
        case .copyURL:
            return row.url.map { [.copy(CopiedText(name: "URL", $0))] }
                ?? [.notify(.problem("there is no URL"))]
        case .copyCurl: return copyCurl(id, nil)
        case .copyCurlRedacted: return copyCurl(id, Redaction())
        case .copyHead: return copyHead(id, [.response, .request])
        case .copyRequestHead: return copyHead(id, [.request])
        case .copyBody: return copyBody(id, of: .response)
        case .copyRequestBody: return copyBody(id, of: .request)
        case .editRequest: return [.open(ComposeScreen(row))]
        case .replay: return [.ask(SendScreen(.again(row))) { .focused($0) }]
        case .breakOn: return [.act(HoldWork.toggleBreakpoint(on: row))]
        case .showRules: return [.ask(RulesScreen()) { .focused($0) }]
        case .ruleForExchange:
            return [.ask(RulesScreen(adding: RuleDraft(for: row))) { .focused($0) }]
        default:
            let dialog = dialog(action, chosen ?? ChosenRows(row: row))
            return dialog.map { [.ask($0) { .focused($0) }] } ?? []
        }
    }

    /// The form that an action asks to be filled in, or nil if there is none.
    private static func dialog(_ action: ActionID, _ chosen: ChosenRows) -> FormDialog? {
        let row = chosen.row
        switch action {
        case .repeatMany: return .repeating(chosen)
        case .export: return .exporting(chosen)
        case .mapBody: return .mapping(row)
        case .saveStoredBody:
            let type = BodyFacts(contentType: row.responseContentType, bytes: [0x20])
            let ending = FileNames.fileExtension(type)
            return .savingBody(row, .response, fileExtension: ending)
        default: return nil
        }
    }

    /// Parses tags: `a -b` adds a and removes b.
    private static func tags(_ text: String, _ id: ExchangeID) -> AnnotationChange {
        let words = text.split(separator: " ").map(String.init)
        return AnnotationChange(
            id: id, addedTags: words.filter { !$0.hasPrefix("-") },
            removedTags: words.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) })
    }

    static func annotate(_ change: AnnotationChange) -> Effect {
        .work(
            Work("annotate", on: .actions, isKept: true) { context in
                try context.hostActions.annotating.orFail("nothing can be changed here")
                    .annotate([change])
                return .changed(.success("changed \(try context.rows.name(of: change.id))"))
            })
    }

    private static func copyCurl(_ id: ExchangeID, _ redaction: Redaction?) -> [Effect] {
        copying { context in
            try CopiedText(curl: exchange(id, context).request, redaction)
                .orFail(CopiedText.noCurl)
        }
    }

    /// Copies the first head that there is.
    private static func copyHead(_ id: ExchangeID, _ messages: [StoredMessage]) -> [Effect] {
        copying { context in
            for message in messages {
                if let bytes = try context.exchanges.headBytes(id, message) {
                    return CopiedText(name: "head", bytes: bytes)
                }
            }
            throw WorkFailure("there is no head")
        }
    }

    private static func copyBody(_ id: ExchangeID, of message: StoredMessage) -> [Effect] {
        copying { context in
            let exchange = try exchange(id, context)
            let bytes: [UInt8]
            if message == .request {
                let request = exchange.request
                bytes = DraftBody(request.body, request.head?.fields ?? HeaderFields()).bytes
            } else {
                let response = try exchange.response.orFail("there is no response")
                bytes = BodyContent(response.body, response.head.fields).bytes
            }
            guard !bytes.isEmpty else { throw WorkFailure("the body is empty") }
            return CopiedText(name: "body", bytes: bytes)
        }
    }

    private static func copying(
        _ body: @escaping @Sendable (WorkContext) throws -> CopiedText
    ) -> [Effect] {
        [.work(Work("copy", on: .details) { .copied(try body($0)) })]
    }

    private static func exchange(_ id: ExchangeID, _ context: WorkContext) throws -> Exchange {
        guard
            let exchange = try context.exchanges.exchange(id, bodyByteCountMax: copiedByteCountMax)
        else { throw WorkFailure("exchange \(try context.rows.name(of: id)) no longer exists") }
        return exchange
    }
}

extension CopiedText {
    static let noCurl = "this request cannot be written as a curl command"

    init?(curl request: Request, _ redaction: Redaction?) {
        let options = CurlOptions(redaction: redaction)
        guard let command = CurlCommand(request, options: options) else { return nil }
        self.init(name: "curl command", command.text(.multiLine))
    }
}

extension ActionID {
    static let toggleRecording = ActionID("recording.toggle")
    static let toggleInterception = ActionID("interception.toggle")
}

extension ActionTable {
    static let controlling = [
        Action(
            .toggleRecording, [.alt("r")], [.everywhere],
            "Pause or resume recording; traffic passes either way"),
        Action(
            .toggleInterception, [Key("I")], [.list, .detail],
            "Intercept TLS to its host or not, from the next connection on"),
    ]
}

enum DaemonWork {
    static func toggleRecording(_ status: StatusFacts) -> Work<Notice?> {
        let isOn = status.recordingStoppedBecause == nil
        return controlDaemon { daemonControl in
            try daemonControl.setRecording(!isOn)
            return isOn ? "recording is paused; M-r resumes it" : "recording"
        }
    }

    static func toggleInterception(ofHost host: String, port: UInt16) -> Work<Notice?> {
        controlDaemon { daemonControl in
            try daemonControl.toggleInterception(ofHost: host, port: port)
                ? "TLS to \(host) is intercepted from the next connection on"
                : "TLS to \(host) is not intercepted from the next connection on"
        }
    }

    private static func controlDaemon(
        _ body: @escaping @Sendable (any DaemonControl) throws -> String
    ) -> Work<Notice?> {
        Work("steer", on: .actions, isKept: true) { context in
            let daemonControl = try context.hostActions.daemonControl
                .orFail("there is no daemon to control here")
            return .success(try body(daemonControl))
        }
    }
}
