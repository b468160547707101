import ProxydExchangeContent
import ProxydPresentation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydProtobuf
import Synchronization

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

/// Exchanges out of memory instead of a store.
final class ScriptedExchanges: RowSource, ExchangeSource {
    private let state: Mutex<[Exchange]>
    let messages: ScriptedMessages
    private let readCount = Mutex(0)
    /// How often a body was read.
    var bodyReadCount: Int { readCount.withLock { $0 } }

    init(
        _ exchanges: [Exchange], messages: [MessageRow] = [], descriptors: [FileDescriptor] = []
    ) {
        state = Mutex(exchanges)
        self.messages = ScriptedMessages(descriptors)
        if let first = exchanges.first { self.messages.add(messages, to: first.id) }
    }

    func change(_ body: (inout [Exchange]) -> Void) { state.withLock { body(&$0) } }

    private var all: [Exchange] { state.withLock { $0 } }

    func row(_ exchange: Exchange) -> ExchangeRow {
        let request = exchange.request
        let response = exchange.response
        var row = ExchangeRow(
            id: exchange.id, startedAtNs: exchange.timeline.wallStart, state: exchange.state)
        row.method = request.method?.rawValue
        row.scheme = request.url?.scheme
        row.host = request.url?.host
        row.port = request.url.map { Int($0.port) }
        row.path = request.url?.pathText
        row.query = request.url?.queryText
        row.httpVersion = request.head.map { "\($0.version)" }
        row.status = response?.status
        row.reason = response?.head.reason
        row.durationNs = exchange.state == .active ? nil : exchange.timeline.totalDuration
        row.requestBodyByteCount = request.body.byteCount
        row.requestKeptByteCount = Int64(request.body.kept.count)
        row.responseBodyByteCount = response?.body.byteCount ?? 0
        row.responseKeptByteCount = Int64(response?.body.kept.count ?? 0)
        row.requestContentType = request.head?.fields["Content-Type"]
        row.responseContentType = response?.head.fields["Content-Type"]
        row.clientAddress = exchange.client?.peerAddress
        row.process = exchange.client?.process?.name
        row.pid = exchange.client?.process.map { Int($0.pid) }
        row.serverAddress = exchange.server?.peerAddress
        row.tlsVersion = exchange.server?.security?.version
        row.error = exchange.failure?.description
        row.upgradedTo = exchange.upgradedTo
        row.replayOf = exchange.replayOf
        row.tags = exchange.annotations.tags
        row.note = exchange.annotations.note
        row.isPinned = exchange.annotations.isPinned
        if row.spokenProtocol?.hasMessages == true {
            row.messageCount = messages.dataCount(of: exchange.id)
        }
        row.grpcStatus = exchange.response?.trailers?["grpc-status"].flatMap { Int($0) }
        row.rules = AppliedRule.names(exchange.appliedRules.map(\.rule))
        return row
    }

    func branches(
        of place: TreePath, _ filter: Filter, progress: (Branches, Double?) -> Void
    ) throws -> Branches {
        try ScriptedRows(all.map(row)).branches(of: place, filter, progress: progress)
    }

    func summary(
        _ filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws -> ExchangeSummary {
        try ScriptedRows(all.map(row)).summary(filter, progress: progress)
    }

    func timelines(_ ids: [ExchangeID]) throws -> [ExchangeID: Timeline] {
        Dictionary(
            all.filter { ids.contains($0.id) }.map { ($0.id, $0.timeline) },
            uniquingKeysWith: { $1 })
    }

    func page(_ request: RowRequest, progress: (Double) -> Void) throws -> RowPage {
        let rows = all.map(row)
        switch request.anchor {
        case .after(let row):
            let found = rows.filter { $0.id > row.id }.prefix(request.count)
            return RowPage(rows: Array(found), isEnd: found.isEmpty)
        case .before(let row):
            let found = rows.filter { $0.id < row.id }.suffix(request.count)
            return RowPage(rows: Array(found), isEnd: found.isEmpty)
        case .first, .last: return RowPage(rows: rows, isEnd: true)
        }
    }

    func rows(_ ids: [ExchangeID]) throws -> [ExchangeRow] {
        ids.compactMap { id in all.first { $0.id == id }.map(row) }
    }

    func name(of id: ExchangeID) throws -> String {
        try rows([id]).first?.idText ?? id.description
    }

    func newer(
        than id: ExchangeID, _ filter: Filter, count: Int, progress: (Double) -> Void
    ) throws -> [ExchangeRow] { [] }
    func count(_ filter: Filter, progress: (Int64) -> Void) throws -> Int64 { Int64(all.count) }
    func extent() throws -> StoreExtent {
        StoreExtent(exchangeCount: Int64(all.count), lastID: 0, changeNumber: 0)
    }
    func values(of column: SortColumn) throws -> [String] { [] }

    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws -> Exchange? {
        all.first { $0.id == id }
    }

    func headBytes(_ id: ExchangeID, _ message: StoredMessage) throws -> [UInt8]? {
        let exchange = all.first { $0.id == id }
        return message == .request
            ? exchange?.request.head?.bytes : exchange?.response?.head.bytes
    }

    func forEachBodyChunk(
        _ id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) -> Bool
    ) throws {
        readCount.withLock { $0 += 1 }
        let exchange = all.first { $0.id == id }
        let bytes =
            message == .request ? exchange?.request.body.kept : exchange?.response?.body.kept
        try MemoryBodyOrigin(bytes: bytes ?? []).forEachChunk(body)
    }

    func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws -> [MessageRow] {
        messages.page(of: id, page, limit: limit, byteCountMax: byteCountMax)
    }

    func lastMessagePosition(of id: ExchangeID) throws -> Int64? { messages.last(of: id) }

    func grpcReading(of id: ExchangeID) throws -> GRPCReading? {
        try exchange(id, bodyByteCountMax: 0).flatMap(GRPCCall.init).map {
            GRPCReading($0, messages.descriptors)
        }
    }
}

/// Plays the detail screen without a terminal, threads or clock.
final class DetailPlayer {
    private(set) var app: App
    let exchanges: ScriptedExchanges
    private(set) var copied: [CopiedText] = []
    private(set) var edited: [EditRequest] = []
    private(set) var startedSlots: [String] = []
    /// Works of these slots wait for `runHeld`.
    var heldSlots: Set<String> = []
    private var held: [(WorkTicket, Work<WorkNews>)] = []
    /// The slots of works that were cancelled.
    private(set) var cancelledSlots: [String] = []
    private let now: Int64

    /// Opens an exchange, or another screen.
    init(
        _ exchanges: [Exchange], columns: Int = 80, rows: Int = 24, open index: Int = 0,
        first: (any ScreenModel)? = nil, messages: [MessageRow] = [],
        descriptors: [FileDescriptor] = []
    ) {
        self.exchanges = ScriptedExchanges(
            exchanges, messages: messages, descriptors: descriptors)
        now = DetailSamples.started
        app = App(size: Size(columns: columns, rows: rows), clock: WallTime())
        let screen = first ?? DetailScreen(self.exchanges.row(exchanges[index]))
        perform(app.start(screen, now: now))
    }

    var screen: Screen { app.drawn(now: now) }
    var text: String { screen.text }
    var screenModel: DetailScreen? { app.entries.first?.model as? DetailScreen }

    /// What the content shows, without the rows around it.
    var content: [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).dropLast(3)
            .map { String($0) }
    }

    func update(_ message: Message) { perform(app.update(message, now: now)) }
    func press(_ keys: Key...) { for key in keys { update(.input(.key(key))) } }
    func type(_ text: String) { for character in text { press(Key(character)) } }

    private func perform(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .start(let ticket, let work):
                if heldSlots.contains(work.slot) {
                    held.append((ticket, work))
                } else {
                    run(ticket, work)
                }
            case .cancel(let ticket): cancelledSlots.append(ticket.slot)
            case .copy(let text): copied.append(text)
            case .edit(_, let request): edited.append(request)
            default: break
            }
        }
    }

    private func run(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        startedSlots.append(ticket.slot)
        let context = WorkContext(
            rows: exchanges, exchanges: exchanges, hostActions: HostActions(), now: now,
            isCancelled: { false })
        for news in work.played(context) { update(.news(ticket, news)) }
        update(.ended(ticket))
    }

    /// Runs what was held back; those that were cancelled meanwhile tell no one.
    func runHeld() {
        let works = held
        held = []
        for (ticket, work) in works { run(ticket, work) }
    }
}
