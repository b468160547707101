internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydCurlCommand
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations

/// The results of actions on an exchange, on any screen that shows one.
enum RowNews: Sendable {
    /// Bytes for the clipboard.
    case copied(CopiedText)
    /// A note, tags or a pin that the user entered.
    case annotate(Annotation)
    /// The exchange was changed; the notice to show.
    case changed(Notice)
    /// The list is to apply a filter.
    case focused(Filter)

    var notice: Notice? {
        guard case .changed(let notice) = self else { return nil }
        return notice
    }
}

/// Actions on one exchange, on any screen that shows one.
enum RowActions {
    typealias Effect = ScreenEffect<RowNews, Never>

    /// The maximum number of body bytes that are copied.
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
                    .annotate(Annotation(id: id, note: $0))
                }
            ]
        case .tag:
            return [
                .ask(PromptScreen("Tags for \(name)", "")) { .annotate(RowActions.tags($0, id)) }
            ]
        case .pin: return [annotate(Annotation(id: id, isPinned: !row.isPinned))]
        case .toggleInterception:
            guard let host = row.host, let port = row.port.flatMap({ UInt16(exactly: $0) }) else {
                return [.notify(.problem("there is no host"))]
            }
            return [.act(SteeringWork.toggleInterception(ofHost: host, port: port))]
        case .copyURL:
            return row.url.map { [.copy(CopiedText(name: "URL", $0))] }
                ?? [.notify(.problem("there is no URL"))]
        case .copyCurl: return [copyCurl(id)]
        case .copyHead: return [copyHead(id)]
        case .copyBody: return [copyBody(id)]
        default: return SendingActions.effects(action, chosen ?? ChosenRows(row: row))
        }
    }

    /// Parses tags: `a -b` adds a and removes b.
    private static func tags(_ text: String, _ id: ExchangeID) -> Annotation {
        let words = text.split(separator: " ").map(String.init)
        return Annotation(
            id: id, addedTags: words.filter { !$0.hasPrefix("-") },
            removedTags: words.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) })
    }

    /// Writes a change and reports it.
    static func annotate(_ change: Annotation) -> Effect {
        .work(
            Work("annotate", on: .actions, isKept: true) { context in
                guard let annotating = context.hostActions.annotating else {
                    throw WorkFailure("nothing can be changed here")
                }
                try annotating.annotate([change])
                return .changed(.success("changed \(try context.rows.name(of: change.id))"))
            })
    }

    private static func copyCurl(_ id: ExchangeID) -> Effect {
        .work(
            Work("copy", on: .details) { context in
                let exchange = try exchange(id, context)
                guard
                    let command = CurlCommand(
                        exchange.request, options: CurlOptions(redaction: nil))
                else {
                    throw WorkFailure("this request cannot be written as a curl command")
                }
                return .copied(CopiedText(name: "curl command", command.text(.multiLine)))
            })
    }

    private static func copyHead(_ id: ExchangeID) -> Effect {
        .work(
            Work("copy", on: .details) { context in
                guard
                    let bytes = try context.exchanges.headBytes(id, .response)
                        ?? context.exchanges.headBytes(id, .request)
                else { throw WorkFailure("there is no head") }
                return .copied(CopiedText(name: "head", bytes: bytes))
            })
    }

    private static func copyBody(_ id: ExchangeID) -> Effect {
        .work(
            Work("copy", on: .details) { context in
                let exchange = try exchange(id, context)
                guard let response = exchange.response else {
                    throw WorkFailure("there is no response")
                }
                let body = DecodedBody.bytes(response)
                guard !body.isEmpty else { throw WorkFailure("the body is empty") }
                return .copied(CopiedText(name: "body", bytes: body))
            })
    }

    private static func exchange(_ id: ExchangeID, _ context: WorkContext) throws -> Exchange {
        guard
            let exchange = try context.exchanges.exchange(
                id, bodyByteCountMax: copiedByteCountMax)
        else { throw WorkFailure("exchange \(try context.rows.name(of: id)) no longer exists") }
        return exchange
    }
}

/// A response body with its content codings removed.
enum DecodedBody {
    static func bytes(_ response: Response) -> [UInt8] {
        let codings = response.head.fields.values(named: "content-encoding")
        guard !codings.isEmpty else { return response.body.kept }
        let kept = response.body.kept
        return ContentDecoder.decode(
            kept.span, contentEncoding: codings.joined(separator: ",")
        ).bytes
    }
}

extension ActionID {
    static let toggleRecording = ActionID("recording.toggle")
    static let toggleInterception = ActionID("interception.toggle")
}

extension ActionTable {
    static let steering = [
        Action(
            .toggleRecording, [.alt("r")], [.everywhere],
            "Pause or resume recording; traffic passes either way"),
        Action(
            .toggleInterception, [Key("I")], [.list, .detail],
            "Intercept TLS to its host or not, from the next connection on"),
    ]
}

/// Controls the daemon, off the drawing thread.
enum SteeringWork {
    /// Pauses or resumes recording.
    static func toggleRecording(_ status: StatusFacts) -> Work<Notice?> {
        let isOn = status.recordingStoppedBecause == nil
        return steer { steering in
            try steering.setRecording(!isOn)
            return isOn ? "recording is paused; M-r resumes it" : "recording"
        }
    }

    /// Toggles TLS interception of a host.
    static func toggleInterception(ofHost host: String, port: UInt16) -> Work<Notice?> {
        steer { steering in
            try steering.toggleInterception(ofHost: host, port: port)
                ? "TLS to \(host) is intercepted from the next connection on"
                : "TLS to \(host) is not intercepted from the next connection on"
        }
    }

    private static func steer(
        _ body: @escaping @Sendable (any Steering) throws -> String
    ) -> Work<Notice?> {
        Work("steer", on: .actions, isKept: true) { context in
            guard let steering = context.hostActions.steering else {
                throw WorkFailure("there is no daemon to control here")
            }
            return Notice.success(try body(steering))
        }
    }
}
