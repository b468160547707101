internal import ProxydOperations
internal import ProxydRules
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydTerminalText

struct RowCells {
    let row: ExchangeRow
    let context: Context
    let isMarked: Bool

    func draw(_ slot: ListColumns.Slot, into canvas: Canvas, row line: Int) {
        switch slot.column {
        case .path: drawPath(canvas.part(column: slot.start, columns: slot.width), line)
        case .marks:
            let isHeld = context.status.holds.contains { $0.exchangeID == row.id.rawValue }
            canvas.draw(
                RowMarks.line(row, isMarked: isMarked, isHeld: isHeld), column: slot.start,
                row: line)
        case .host:
            let address = RowAddress(row, screenWidth: context.size.columns)
            canvas.draw(address.line(width: slot.width), column: slot.start, row: line)
        default:
            let (text, style) = cell(slot)
            canvas.draw(
                text, column: slot.start, row: line, width: slot.width,
                isRight: slot.column.isRight, style)
        }
    }

    /// The minimum width of the path for details of normal exchanges.
    private static let roomyColumnCount = 40

    /// The protocol it switched to, and how many messages were sent over it.
    private var spoken: String? {
        let found = row.spokenProtocol
        let name = row.upgradedTo ?? (found?.hasMessages == true ? found?.rawValue : nil)
        let messages = row.messageCount.map {
            Quantity.count($0, found == .eventStream ? "event" : "message", isGrouped: true)
        }
        let words = [found == .eventStream ? nil : name, messages].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private func cell(_ slot: ListColumns.Slot) -> (String, Style) {
        switch slot.column {
        case .id: return (row.idText, Style(.dim))
        case .time:
            let text =
                slot.width >= 12
                ? context.clock.precise(row.startedAtNs) : context.clock.time(row.startedAtNs)
            return (text, Style(.dim))
        case .method: return (method(slot.width), Style(.plain).adding(.bold))
        case .status: return status
        case .proto: return (row.spokenProtocol?.rawValue ?? "", Style(.dim))
        case .type: return (RowCells.type(row.responseContentType), Style(.dim))
        case .size: return RowCells.size(row.responseBodyByteCount, isThere: row.status != nil)
        case .sent: return RowCells.size(row.requestBodyByteCount, isThere: false)
        case .client: return (row.clientAddress ?? "", Style(.dim))
        case .server: return (row.serverAddress ?? "", Style(.dim))
        case .user: return (row.user ?? "", Style(.dim))
        case .listener: return (row.listener ?? "", Style(.dim))
        case .duration: return duration
        case .process: return (row.process ?? "", Style(.dim))
        case .marks, .host, .path: return ("", .plain)
        }
    }

    private func method(_ width: Int) -> String {
        guard let method = row.method else { return "-" }
        return method.count > width ? String(method.prefix(width)) : method
    }

    /// Draws the path with its query, and further details if there is space.
    private func drawPath(_ canvas: Canvas, _ line: Int) {
        var rest = StyledText()
        if let error = row.error { rest.append("  \(error)", Style(.bad)) }
        if let status = row.grpcStatus.map({ GRPCStatus(Int64($0)) }),
            status.number != 0 || canvas.columns >= RowCells.roomyColumnCount
        {
            rest.append("  \(status.name)", Style(status.number == 0 ? .success : .bad))
        }
        if let operations = row.graphQLText { rest.append("  \(operations)", Style(.accent)) }
        if let spoken { rest.append("  (\(spoken))", Style(.notice)) }
        for tag in row.tags { rest.append("  #\(tag)", Style(.warning)) }
        if let note = row.note { rest.append("  “\(note)”", Style(.warning)) }
        let path = RowPath(row)
        // Notes and errors get a part of the space, less on narrow screens.
        let share = canvas.columns < 18 ? canvas.columns * 2 / 5 : canvas.columns / 2
        let room = canvas.columns - min(rest.columnCount, share)
        let shown = path.fitted(to: max(room, min(path.widthMin, canvas.columns)))
        let column = canvas.draw(shown, row: line)
        let remark = canvas.part(column: column, columns: canvas.columns - column)
        if rest.columnCount <= remark.columns {
            remark.draw(rest, row: line)
        } else {
            remark.draw(
                rest.text, column: 0, row: line, width: remark.columns,
                rest.runs.first?.style ?? .plain)
        }
    }

    private var status: (String, Style) {
        if let status = row.status { return ("\(status)", Style.ofStatus(status)) }
        switch row.state {
        case .active: return ("...", Style(.notice))
        case .failed: return ("ERR", Style(.bad).adding(.bold))
        case .tunnel: return ("TUN", Style(.informational))
        case .complete: return ("-", Style(.dim))
        }
    }

    /// The size of a body; `0` for an empty one that exists.
    private static func size(_ count: Int64, isThere: Bool) -> (String, Style) {
        guard count > 0 else { return (isThere ? "0" : "", Style(.dim)) }
        return (Quantity.bytes(count), Style(Quantity.scale(count, from: 1_000)))
    }

    private var duration: (String, Style) {
        guard let duration = row.durationNs else {
            let elapsed = max(0, context.now &- row.startedAtNs)
            return (Quantity.duration(elapsed / 1_000_000_000 * 1_000_000_000), Style(.notice))
        }
        return (Quantity.duration(duration), Style(Quantity.scale(duration, from: 10_000_000)))
    }

    /// `application/json; charset=utf-8` as `json`.
    private static func type(_ type: String?) -> String {
        guard let type else { return "" }
        let plain = type.prefix { $0 != ";" }
        guard let slash = plain.firstIndex(of: "/") else { return String(plain) }
        return String(plain[plain.index(after: slash)...])
    }
}

extension Style {
    /// The colour of a status class; server errors are highlighted.
    static func ofStatus(_ status: Int) -> Style {
        let role = Role.ofStatus(status)
        return role == .serverError ? Style(role).adding(.bold) : Style(role)
    }
}

/// The symbols before a row, each in its own column, so that a row can have all of them.
enum RowMarks {
    static let columnCount = 5

    static let meanings = [
        ("●", "marked"), ("!", "pinned: never deleted to make room"), ("+", "has a note or tags"),
        ("↺", "a replay of another exchange"), ("≠", "a rule applied"),
        ("⏸", "held: H shows all"),
    ]

    static func line(_ row: ExchangeRow, isMarked: Bool, isHeld: Bool = false) -> StyledText {
        var line = StyledText(isMarked ? "●" : " ", Style(.warning).adding(.bold))
        let hasRemark = row.note != nil || !row.tags.isEmpty
        line.append(row.isPinned ? "!" : " ", Style(.notice))
        line.append(hasRemark ? "+" : " ", Style(.notice))
        line.append(row.replayOf != nil ? "↺" : " ", Style(.notice))
        line.append(isHeld ? "⏸" : row.rules.isEmpty ? " " : "≠", Style(.warning))
        return line
    }
}

/// Scheme, host and port of a row, shortened to fit: the start of the host is dropped. On screens
/// that are not wide, no row shows its scheme, so that the path has more room; the port then tells
/// http from https.
struct RowAddress {
    /// The minimum width of the screen on which rows show their schemes.
    static let schemeScreenWidth = 160

    private let scheme: String
    private let authority: String

    init(_ row: ExchangeRow, screenWidth: Int) {
        guard let host = row.host else {
            scheme = ""
            authority = "-"
            return
        }
        let hasScheme = screenWidth >= RowAddress.schemeScreenWidth
        let named = row.scheme.map { TerminalText.sanitize($0) + "://" } ?? ""
        scheme = hasScheme ? named : ""
        let safe = TerminalText.sanitize(host)
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(safe)]" : safe
        authority = RowAddress.port(row, hasScheme).map { "\(shown):\($0)" } ?? shown
    }

    /// The port, or nil if it is the usual one.
    private static func port(_ row: ExchangeRow, _ hasScheme: Bool) -> Int? {
        let usual = row.scheme == "https" ? 443 : row.scheme == "http" && hasScheme ? 80 : nil
        return row.port == usual ? nil : row.port
    }

    /// About how wide it is, without examining its characters.
    static func width(_ row: ExchangeRow, screenWidth: Int) -> Int {
        guard let host = row.host else { return 1 }
        let hasScheme = screenWidth >= schemeScreenWidth
        let scheme = hasScheme ? row.scheme.map { $0.utf8.count + 3 } ?? 0 : 0
        let brackets = host.utf8.contains(UInt8(ascii: ":")) ? 2 : 0
        let port = port(row, hasScheme).map { "\($0)".utf8.count + 1 } ?? 0
        return scheme + host.utf8.count + brackets + port
    }

    func line(width: Int) -> StyledText {
        let room = width - TerminalText.displayWidth(scheme)
        guard room > 1 else {
            return StyledText(TextEnd.fitted(authority, to: width), Style(.accent))
        }
        return StyledText(scheme, Style(.dim))
            + StyledText(TextEnd.fitted(authority, to: room), Style(.accent))
    }
}

/// Path and query of a row, shortened to fit: at the end, but of a gRPC call at the start, because
/// the method's name says most.
struct RowPath {
    private let text: String
    private let isCall: Bool

    init(_ row: ExchangeRow) {
        let path = (row.path ?? "-") + (row.query.map { "?" + $0 } ?? "")
        text = TerminalText.sanitize(String(path.prefix(4_096)))
        isCall = row.spokenProtocol == .grpc || row.spokenProtocol == .grpcWeb
    }

    var width: Int { TerminalText.displayWidth(text) }

    /// The width of the part that is not dropped: of a gRPC call, the method's name.
    var widthMin: Int {
        guard isCall, let slash = text.lastIndex(of: "/") else { return 0 }
        return min(width, TerminalText.displayWidth(String(text[slash...])) + 1)
    }

    func fitted(to width: Int) -> String {
        isCall ? TextEnd.fitted(text, to: width) : TerminalText.fitted(text, to: width)
    }
}

/// The end of a text whose start is dropped.
private enum TextEnd {
    private static let countMax = 512

    /// A sanitized text, with `…` in place of its start if it is wider than `width` columns.
    static func fitted(_ text: String, to width: Int) -> String {
        guard TerminalText.displayWidth(text) > width else { return text }
        var kept = text.suffix(countMax)
        while !kept.isEmpty, TerminalText.displayWidth(String(kept)) > width - 1 {
            kept = kept.dropFirst()
        }
        return "…" + kept
    }
}
