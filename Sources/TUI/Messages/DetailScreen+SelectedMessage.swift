internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation

/// The message selected in the list, shown below or beside it.
extension DetailScreen {
    /// Shows the selected message if the selection changed.
    mutating func showSelected(_ context: Context) -> [Effect] {
        guard let selected = messages?.selected else {
            guard shownMessage != nil else { return [] }
            shownMessage = nil
            isOnMessage = false
            pages[.messages] = nil
            return [.cancelWork(slot: "more"), .cancelWork(slot: DetailScreen.messageSlot)]
        }
        guard selected.position != shownMessage?.row.position else { return [] }
        var shown = ShownMessage(row: selected, isSought: soughtMessage == selected.position)
        soughtMessage = nil
        let isWhole = Int64(selected.bytes.count) == selected.byteCount
        if isWhole, !MessageContent.hasMeaning(selected.kind) {
            shown.content = MessageContent(selected)
        }
        shownMessage = shown
        showMessage(context)
        let cancelled: [Effect] = [
            .cancelWork(slot: "more"), .cancelWork(slot: DetailScreen.messageSlot),
        ]
        return cancelled
            + (shown.content == nil ? [read(selected)] : more(context) + seekInMessage())
    }

    static let messageSlot = "messages.one"

    private func read(_ message: MessageRow) -> Effect {
        let id = row.id
        return .work(
            Work(DetailScreen.messageSlot, on: .rows, isQuiet: true) { context in
                let row = try MessageScan.whole(message.position, of: id, context)
                    .orFail("the message is no longer in the store")
                return .content(
                    MessageContent(
                        row, row.kind == .grpc ? try context.exchanges.grpcReading(of: id) : nil))
            })
    }

    mutating func take(_ content: MessageContent, _ context: Context) -> [Effect] {
        guard shownMessage?.row.position == content.row.position else { return [] }
        shownMessage?.content = content
        showMessage(context)
        return more(context) + seekInMessage()
    }

    private mutating func showMessage(_ context: Context) {
        guard let shownMessage else { return }
        let former = pages[.messages]
        var page: DetailPage
        if let content = shownMessage.content {
            page = messagePage(content, (former?.generation ?? 0) + 1, context.clock)
        } else {
            page = DetailPage(
                head: [StyledText("reading…", .dim)], generation: (former?.generation ?? 0) + 1)
        }
        if former?.pager.wraps == false { page.pager.toggleWrapping() }
        pages[.messages] = page
    }

    private func messagePage(
        _ content: MessageContent, _ generation: Int, _ clock: WallTime
    ) -> DetailPage {
        let lines = MessageLines(
            content: content, startedAtNs: row.startedAtNs, clock: clock
        ).lines()
        let bytes = content.bytes(asBytes: showsMessageBytes)
        guard !bytes.isEmpty else { return DetailPage(head: lines, generation: generation) }
        let facts = content.facts(asBytes: showsMessageBytes)
        let viewers = content.row.kind == .close ? [BodyViewers.hex] : BodyViewers.suited(to: facts)
        return DetailPage(
            head: lines,
            DetailPage.Shown(facts: facts, source: LoadedBody(bytes), loaded: nil, message: nil),
            viewers: viewers, preferred: chosenForMessages[content.row.kind],
            generation: generation)
    }

    mutating func toggleBytes(_ context: Context) -> [Effect] {
        guard shownMessage?.content?.meaning != nil else {
            return [.notify(.information("its text is the same as its bytes"))]
        }
        showsMessageBytes.toggle()
        showMessage(context)
        return [.cancelWork(slot: "more")] + more(context)
    }

    mutating func seekInMessage(again: Bool = false) -> [Effect] {
        guard shownMessage?.isSought == true || again, let subject, let needle,
            let page = pages[.messages], page.shown != nil
        else { return [] }
        shownMessage?.isSought = false
        let search = ExchangeSearch(needle: needle, direction: .forward, pages: [(.messages, page)])
        let stop = SearchStop(tab: .messages, extent: .body(0..<Int.max), isWrapped: false)
        return [.work(DetailWorks.search(search, [stop], subject, isOwn: true))]
    }
}

struct ShownMessage: Sendable {
    let row: MessageRow
    /// The complete message, or nil until it is read.
    var content: MessageContent?
    /// Whether the search text still has to be found in it.
    var isSought = false
}

/// One message with all of its stored bytes, and their meaning.
struct MessageContent: Sendable {
    let row: MessageRow
    /// Facts that not every message has: an event's name, a call's method.
    let members: [JSONValue.Member]
    /// The bytes' meaning if it differs: an event's data, a gRPC message as JSON; otherwise nil.
    let meaning: [UInt8]?
    /// The protocol rule that is violated, or why decoding failed; nil if the message is valid.
    let problem: String?

    /// Facts that every message has, or that are shown elsewhere.
    private static let known: Set<String> = [
        "position", "at", "direction", "kind", "bytes", "text", "base64", "json", "fields",
        "code", "reason", "compressed", "fragmented", "cut", "unfinished", "problem",
    ]

    /// Creates the content of a message; `grpc` says how gRPC messages are decoded.
    init(_ row: MessageRow, _ grpc: GRPCReading? = nil) {
        self.row = row
        guard MessageContent.hasMeaning(row.kind),
            case .object(let members) = MessageJSON.value(row, grpc: grpc)
        else {
            members = []
            meaning = nil
            problem = row.problem
            return
        }
        problem = row.problem ?? MessageContent.text(members, "problem")
        self.members = members.filter {
            !MessageContent.known.contains($0.name) && $0.value != .null
        }
        let meaning = MessageContent.meaning(members)
        self.meaning = meaning == row.bytes || meaning?.isEmpty == true ? nil : meaning
    }

    /// Whether messages of a kind have a meaning that differs from their bytes.
    static func hasMeaning(_ kind: MessageRecord.Kind) -> Bool {
        switch kind {
        case .grpc, .event: true
        case .text, .binary, .close, .ping, .pong, .comment, .trailers, .invalid: false
        }
    }

    private static func meaning(_ members: [JSONValue.Member]) -> [UInt8]? {
        func value(_ name: String) -> JSONValue? {
            members.first { $0.name == name && $0.value != .null }?.value
        }
        if let value = value("json") ?? value("fields") {
            var bytes: [UInt8] = []
            JSONText.write(value, into: &bytes)
            return bytes
        }
        return text(members, "text").map { Array($0.utf8) }
    }

    private static func text(_ members: [JSONValue.Member], _ name: String) -> String? {
        guard case .string(let text)? = members.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    func bytes(asBytes: Bool) -> [UInt8] { asBytes ? row.bytes : meaning ?? row.bytes }

    /// Facts about these bytes, to choose a viewer.
    func facts(asBytes: Bool) -> BodyFacts {
        let bytes = bytes(asBytes: asBytes)
        let type: String? =
            switch row.kind {
            case .grpc where asBytes || meaning == nil: "application/protobuf"
            case .event where asBytes: "text/event-stream"
            case .comment, .trailers: "text/plain; charset=utf-8"
            default: nil
            }
        let facts = BodyFacts(contentType: type, bytes: bytes)
        // For a body without a type, `a=b` would be a form, but a message is text. So is a
        // WebSocket text message, whatever its bytes are.
        let isTakenForBytes = facts.kind == .binary || facts.kind.isBinary
        let isText = facts.kind == .form || row.kind == .text && isTakenForBytes
        return isText ? BodyFacts(text: bytes) : facts
    }
}

struct MessageLines {
    let content: MessageContent
    /// The start time of its exchange in nanoseconds since 1970.
    let startedAtNs: Int64
    let clock: WallTime

    private var row: MessageRow { content.row }

    func lines() -> [StyledText] {
        var lines = [first, sizes]
        if let flags { lines.append(flags) }
        if let problem = content.problem { lines.append(StyledText(problem, .bad)) }
        lines += closing + content.members.map(MessageLines.line)
        if row.bytes.isEmpty { lines.append(StyledText("no bytes", .dim)) }
        return lines + [StyledText()]
    }

    private var first: StyledText {
        var line = StyledText(MessageLines.arrow(row), Style(MessageLines.role(row)))
        line.append(" \(row.kind.name)", .heading)
        line.append(row.direction == .toServer ? " to the server" : " to the client", .plain)
        line.append("  \(MessageTime.text(row, startedAtNs: startedAtNs)) s", .plain)
        line.append("  \(clock.precise(row.atNs))", .dim)
        return line
    }

    private var sizes: StyledText {
        var line = StyledText(Quantity.bytes(row.byteCount), .plain)
        if row.wireByteCount != row.byteCount {
            line.append("  \(Quantity.bytes(row.wireByteCount)) on the wire", .dim)
        }
        if Int64(row.bytes.count) < row.byteCount {
            let count = Quantity.bytes(Int64(row.bytes.count))
            line.append(
                row.flags.contains(.cut) ? "  kept \(count)" : "  the first \(count)", .notice)
        }
        return line
    }

    private var flags: StyledText? {
        let names: [(MessageRecord.Flags, String)] = [
            (.compressed, "compressed"), (.fragmented, "fragmented"), (.cut, "cut"),
            (.unfinished, "not finished"),
            (.stillCompressed, "compressed: it could not be decompressed"),
            (.invalid, "invalid"),
        ]
        let found = names.filter { row.flags.contains($0.0) }.map(\.1)
        return found.isEmpty ? nil : StyledText(found.joined(separator: ", "), .notice)
    }

    /// The code and reason of a close frame (RFC 6455 §7.4).
    private var closing: [StyledText] {
        guard row.kind == .close else { return [] }
        guard let code = WebSocketCloseCode(payload: row.bytes) else {
            return [StyledText("no code", .dim)]
        }
        var line = StyledText("code: ", .key)
        line.append(code.description, code.isOrderly ? .good : .bad)
        guard row.bytes.count > 2 else { return [line] }
        var reason = StyledText("reason: ", .key)
        reason.append(row.bytes.dropFirst(2), .string)
        return [line, reason]
    }

    private static func line(_ member: JSONValue.Member) -> StyledText {
        var line = StyledText("\(member.name): ", .key)
        switch member.value {
        case .string(let text): line.append(text, .string)
        case .number(let digits): line.append(digits, .number)
        case .bool(let isTrue): line.append(isTrue ? "true" : "false", .keyword)
        case .null: line.append("null", .keyword)
        case .array(let elements): line.append("\(elements.count) values", .dim)
        case .object(let members): line.append("\(members.count) members", .dim)
        }
        return line
    }

    // MARK: Signs

    static func arrow(_ row: MessageRow) -> String { row.direction == .toServer ? "→" : "←" }

    static func role(_ row: MessageRow) -> Style.Role {
        row.direction == .toServer ? .send : .receive
    }
}
