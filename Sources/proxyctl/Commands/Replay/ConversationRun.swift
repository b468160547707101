internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydSystem
internal import ArgumentParser
internal import Dispatch
internal import Glibc

/// Replays one WebSocket for a command, which waits for it.
struct ConversationRun {
    let exchange: Exchange
    let reader: any ExchangeReading
    let session: Session
    let plan: ConversationPlan
    let asJSON: Bool
    /// Whether a replay that differs from its original has failed.
    let stopsOnMismatch: Bool

    /// Sends the recorded messages, and reports how the replay compares; returns whether it failed.
    func repeatMessages(_ isInterrupted: () -> Bool) throws -> Bool {
        let replay = ConversationReplay(session, of: exchange, plan: plan)
        let messages = StoredConversation(exchange, reader)
        let result = try BlockingWait.result(of: { try await replay.run(messages) }, isInterrupted)
            .get()
        if isInterrupted() { throw CommandFailure("interrupted") }
        let name = (try? reader.name(of: exchange.id)) ?? exchange.id.description
        ConversationReport(asJSON: asJSON, name: name, .current).print(result, of: exchange)
        return result.error != nil || (stopsOnMismatch && result.isMismatch)
    }

    /// Sends typed lines and prints received messages; returns whether it failed.
    func talk(_ isInterrupted: () -> Bool) throws -> Bool {
        let environment = Environment.current
        let listener = ConversationPrinter(asJSON: asJSON, exchange: exchange, environment)
        let lines = StandardInputLines(environment)
        let replay = ConversationReplay(session, of: exchange, plan: plan)
        let limit = plan.duration
        let body: @Sendable () async throws -> WebSocketRequest.Completion? = {
            let socket = try replay.checkedSocket()
            let closesAtEnd = limit == nil
            let typing = Task {
                await ConversationRun.send(lines, over: socket)
                // With a duration, the connection stays open for it: answers may still arrive.
                if closesAtEnd { try? await socket.close() }
            }
            let ending = limit.map { limit in
                Task {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    try? await socket.close()
                }
            }
            defer {
                typing.cancel()
                ending?.cancel()
            }
            return await listener.listen(to: socket)
        }
        let completion = try BlockingWait.result(of: body, isInterrupted).get()
        if isInterrupted() { throw CommandFailure("interrupted") }
        guard let error = completion?.error else { return false }
        Report.warn(error.messageWithRemedy)
        return true
    }

    /// Sends each line that is valid text.
    private static func send(_ lines: StandardInputLines, over socket: WebSocketRequest) async {
        guard (try? await socket.opened()) != nil else { return }
        while let line = await lines.next() {
            guard let text = String(validating: line, as: UTF8.self) else {
                Report.warn("a line was not sent because it is not UTF-8")
                continue
            }
            guard (try? await socket.send(text)) != nil else { return }
        }
    }
}

/// How `proxyctl replay` uses a WebSocket, and how long it listens.
struct ConversationOptions: ParsableArguments {
    enum Pace: String, ExpressibleByArgument, CaseIterable {
        case answers
        case recorded
    }

    @Option(
        help: ArgumentHelp(
            "When to send a WebSocket's messages: answers, after as many messages from the server "
                + "as before, or recorded, at their recorded times. (default: answers)",
            valueName: "pace"))
    var pace: Pace?
    @Flag(
        help: ArgumentHelp(
            "Open the WebSocket again, send the lines of standard input, and print what arrives. "
                + "It is closed at the end of the input, or after --duration."))
    var interactive = false
    @Option(
        help: ArgumentHelp(
            "Stop a response or WebSocket that is still open after this many seconds.",
            valueName: "seconds"))
    var duration: Double?

    /// The maximum duration in seconds: a week.
    private static let durationMax = 604_800.0

    /// Whether any option was given that applies only to WebSockets.
    var isAboutWebSocket: Bool { pace != nil || interactive }

    /// The duration, or nil for no limit.
    var limit: Duration? { duration.map { .seconds($0) } }

    /// Checks what argument parsing alone cannot.
    func check(isSingle: Bool) throws {
        if let duration {
            guard duration > 0, duration <= ConversationOptions.durationMax else {
                throw ValidationError("--duration must be above 0 and at most a week")
            }
        }
        guard pace == nil || !interactive else {
            throw ValidationError("--pace cannot be used with --interactive")
        }
        guard isSingle || !isAboutWebSocket else {
            throw ValidationError("--pace and --interactive take a single exchange")
        }
    }
}

/// The messages of a recorded WebSocket, read page by page.
struct StoredConversation: ConversationSource {
    private static let pageCount = 64
    /// The maximum size of a message in bytes, more than is ever stored of one.
    private static let byteCountMax = 64 << 20

    private let reader: any ExchangeReading
    private let exchange: Exchange

    init(_ exchange: Exchange, _ reader: any ExchangeReading) {
        self.exchange = exchange
        self.reader = reader
    }

    func messages(after position: Int64?) throws -> [MessageRecord] {
        let rows = try reader.messages(
            of: exchange.id, .after(position ?? -1), limit: StoredConversation.pageCount,
            byteCountMax: StoredConversation.byteCountMax)
        return rows.map(record)
    }

    private func record(_ row: MessageRow) -> MessageRecord {
        var flags = row.flags
        if Int64(row.bytes.count) < row.byteCount { flags.insert(.cut) }
        return MessageRecord(
            position: row.position, direction: row.direction, kind: row.kind, flags: flags,
            offsetNs: row.atNs &- exchange.timeline.wallStart, byteCount: row.byteCount,
            wireByteCount: row.wireByteCount, content: .bytes(row.bytes), problem: row.problem)
    }
}

/// The lines of standard input, each read on request.
///
/// Why the mutable state is safe: everything except `queue` is accessed only on `queue`.
final class StandardInputLines: @unchecked Sendable {
    /// Longer lines are returned in pieces, in bytes.
    private static let lineByteCountMax = 16 << 20
    private static let chunkByteCount = 64 << 10

    private let queue = DispatchQueue(label: "typed lines")
    private let descriptor: Int32
    private var arrived: [UInt8] = []
    private var isOver = false

    init(_ environment: Environment) { descriptor = environment.inputDescriptor }

    /// Returns the next line without its line break, or nil after the last one.
    func next() async -> [UInt8]? {
        await withUnsafeContinuation { continuation in
            queue.async { continuation.resume(returning: self.take()) }
        }
    }

    private func take() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = arrived[searched...].firstIndex(of: 0x0A) { return cut(end, skipping: 1) }
            if arrived.count >= StandardInputLines.lineByteCountMax {
                return cut(StandardInputLines.lineByteCountMax, skipping: 0)
            }
            searched = arrived.count
            if isOver || !read() {
                isOver = true
                return arrived.isEmpty ? nil : cut(arrived.count, skipping: 0)
            }
        }
    }

    private func cut(_ end: Int, skipping count: Int) -> [UInt8] {
        var line = arrived[..<end]
        if count > 0, line.last == 0x0D { line.removeLast() }
        let bytes = Array(line)
        arrived.removeFirst(end + count)
        return bytes
    }

    /// Reads more input; returns false at its end.
    private func read() -> Bool {
        var count = -1
        let chunk = [UInt8](unsafeUninitializedCapacity: StandardInputLines.chunkByteCount) {
            buffer, used in
            repeat {
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            used = max(0, count)
        }
        arrived += chunk
        return count > 0
    }
}

/// Prints messages received over a WebSocket as they arrive, in the format of `proxyctl messages`.
///
/// Why this is safe although the printer is not Sendable: `printer` is used only by `listen`, which
/// is called once.
final class ConversationPrinter: @unchecked Sendable {
    private let printer: MessagePrinter
    private let environment: Environment

    init(asJSON: Bool, exchange: Exchange, _ environment: Environment) {
        printer = MessagePrinter(asJSON: asJSON, environment)
        self.environment = environment
    }

    /// Prints until the end; returns how it ended.
    func listen(to socket: WebSocketRequest) async -> WebSocketRequest.Completion? {
        var completion: WebSocketRequest.Completion?
        var position: Int64 = 0
        for await event in socket.events {
            completion = event.completion ?? completion
            switch event.kind {
            case .receivedMessage(let message):
                let kind: MessageRecord.Kind = message.string == nil ? .binary : .text
                print(kind, message.bytes, position)
                position += 1
            case .disconnected(let code, let reason):
                let high = UInt8(truncatingIfNeeded: code.rawValue >> 8)
                let low = UInt8(truncatingIfNeeded: code.rawValue)
                print(.close, [high, low] + Array(reason.utf8), position)
            case .connected, .serializerFailed, .completed: break
            }
            // The output is no longer read.
            if environment.output.failure != nil { socket.cancel() }
        }
        return completion
    }

    private func print(_ kind: MessageRecord.Kind, _ bytes: [UInt8], _ position: Int64) {
        printer.print(
            MessageRow(
                position: position, direction: .toClient, kind: kind, flags: [],
                atNs: SystemClock.wallNow(), byteCount: Int64(bytes.count),
                wireByteCount: Int64(bytes.count), problem: nil, bytes: bytes))
        printer.flush()
    }
}

/// Reports how a replayed WebSocket compares with its original: two lines, or a JSON object.
struct ConversationReport {
    private static let columns: [TextTable.Column] = [
        .init(title: "ID", alignment: .right, columnCountMax: 19),
        .init(title: "REPLAY", alignment: .right, columnCountMax: 19),
        .init(title: "STATUS", columnCountMax: 13),
        .init(title: "SENT", columnCountMax: 19),
        .init(title: "RECEIVED", columnCountMax: 19),
        .init(title: "CLOSED", columnCountMax: 13),
        .init(title: "REQUEST"),
    ]
    private static let widths = [6, 6, 12, 12, 12, 12, 0]

    private let report: Report
    private let asJSON: Bool
    private let name: String

    init(asJSON: Bool, name: String, _ environment: Environment) {
        report = Report(environment)
        self.asJSON = asJSON
        self.name = name
    }

    func print(_ result: ConversationResult, of exchange: Exchange) {
        defer { report.flush() }
        if asJSON { return report.json(json(result, exchange)) }
        let titles = ConversationReport.columns.map { StyledText($0.title, .heading) }
        var widths = ConversationReport.widths
        widths[0] = max(widths[0], name.count)
        for cells in [titles, cells(result, exchange)] {
            report.line(TextTable.line(cells, ConversationReport.columns, widths))
        }
    }

    private func cells(_ result: ConversationResult, _ exchange: Exchange) -> [StyledText] {
        let (original, replay) = (result.original, result.replay)
        let status = exchange.response?.status
        var request = StyledText("WS \(exchange.request.url?.description ?? "")")
        if let error = result.error { request.append("  \(error.messageWithRemedy)", .bad) }
        return [
            StyledText(name, .dim),
            StyledText(result.id.map { String($0.rawValue) } ?? "-", .dim),
            Self.change(Self.text(status), Self.text(result.status)),
            Self.change(String(original.sentCount), String(replay.sentCount)),
            Self.change(String(original.receivedCount), String(replay.receivedCount)),
            Self.change(Self.text(original.closeCode), Self.text(replay.closeCode)), request,
        ]
    }

    private static func text(_ number: Int?) -> String { number.map(String.init) ?? "-" }

    /// One value if both are equal, otherwise both.
    private static func change(_ before: String, _ after: String) -> StyledText {
        before == after
            ? StyledText(after) : StyledText("\(before) > ") + StyledText(after, .notice)
    }

    private func json(_ result: ConversationResult, _ exchange: Exchange) -> JSONValue {
        .members([
            ("replay_of", ExchangeNameJSON.value(name)),
            ("id", .integer(result.id?.rawValue)),
            ("url", .text(exchange.request.url?.description)),
            ("original", Self.json(result.original, status: exchange.response?.status)),
            ("replay", Self.json(result.replay, status: result.status)),
            ("mismatch", .bool(result.isMismatch)),
            ("error", .text(result.error?.messageWithRemedy)),
        ])
    }

    private static func json(_ outcome: ConversationResult.Outcome, status: Int?) -> JSONValue {
        .members([
            ("status", .integer(status)),
            ("sent", .integer(outcome.sentCount)),
            ("received", .integer(outcome.receivedCount)),
            ("close_code", .integer(outcome.closeCode)),
        ])
    }
}
