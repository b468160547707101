import Synchronization
import Testing

@testable import ProxydCentralStore

/// A connection that notes what it is asked to do, and answers from a script.
final class ScriptedConnection: CentralConnection, Sendable {
    /// What a statement returns: rows, and then maybe an error.
    struct Reply: Sendable {
        var columns: [CentralRow.Column] = []
        var rows: [CentralRow] = []
        var error: CentralError?

        static func rows(_ rows: [CentralValue]...) -> Reply {
            let rows = rows.map(ScriptedConnection.row)
            return Reply(columns: rows.first?.columns ?? [], rows: rows)
        }

        static func failure(_ error: CentralError) -> Reply { Reply(error: error) }

        /// The same rows, then an error.
        func failing(_ error: CentralError) -> Reply {
            Reply(columns: columns, rows: rows, error: error)
        }
    }

    /// What was asked.
    struct Request: Sendable {
        let statement: CentralStatement
        /// The bytes that were copied; nil if it is no COPY.
        var copied: [UInt8]?

        var sql: String { statement.sql }
        var arguments: [CentralValue] { statement.arguments }

        /// What is done to what: `UPDATE shipper`, `DELETE FROM content`, `SELECT make_day`.
        var outline: String {
            let words = sql.split { $0.isWhitespace }
            let hasPreposition = words.count > 2 && ["FROM", "INTO"].contains(words[1])
            return words.prefix(hasPreposition ? 3 : 2).map { word in
                String(word.prefix { $0 != "(" && $0 != "," })
            }.joined(separator: " ")
        }
    }

    /// Notes what it is asked to do.
    final class Canceller: CentralCanceller {
        enum Call: Sendable, Hashable { case reset, cancel }

        private let noted = Mutex<[Call]>([])
        var calls: [Call] { noted.withLock { $0 } }

        func cancel() { noted.withLock { $0.append(.cancel) } }
        func reset() { noted.withLock { $0.append(.reset) } }
    }

    private struct Answer {
        let text: String
        let argument: CentralValue?
        var replies: [Reply]

        func fits(_ request: Request) -> Bool {
            request.sql.contains(text) && (argument == nil || argument == request.arguments.first)
        }
    }

    private struct State {
        var answers: [Answer] = []
        var requests: [Request] = []
    }

    private final class Sink {
        var bytes: [UInt8] = []
    }

    private let state = Mutex(State())
    let recorder = Canceller()

    var canceller: any CentralCanceller { recorder }

    /// A row as the server returns it for some values.
    static func row(_ values: [CentralValue]) -> CentralRow {
        CentralRow(
            columns: values.map { CentralRow.Column(name: "", type: $0.typeNumber) },
            values: values.map { $0.encoded })
    }

    // MARK: The script

    /// Answers statements that contain a text, and have a value as their first argument if one is
    /// given, with these replies, one after another; the last one stays. Of several answers the
    /// latest counts. Without one, a statement returns no rows.
    func answer(_ text: String, to argument: CentralValue? = nil, _ replies: Reply...) {
        answer(text, to: argument, each: replies)
    }

    /// The same with replies that are in a list.
    func answer(_ text: String, to argument: CentralValue? = nil, each replies: [Reply]) {
        let answer = Answer(text: text, argument: argument, replies: replies)
        state.withLock { $0.answers.append(answer) }
    }

    /// When every exchange started, in microseconds since 2000, if a test does not say otherwise.
    static let start: Int64 = 1_000

    /// What is asked before other statements, and not noted: which additions the store has, and
    /// when an exchange started. Without an answer it has all, and started at `start`.
    private static let asides: [String: CentralValue] = [
        CentralAdditions.question: .integer(CentralAdditions.all.count),
        CentralReader.startQuestion: .timestamp(start),
    ]

    private func reply(to request: Request) -> Reply {
        let aside = ScriptedConnection.asides[request.sql]
        return state.withLock { state in
            if aside == nil { state.requests.append(request) }
            let index = state.answers.lastIndex { $0.fits(request) }
            guard let index, let reply = state.answers[index].replies.first else {
                return aside.map { .rows([$0]) } ?? Reply()
            }
            if state.answers[index].replies.count > 1 {
                state.answers[index].replies.removeFirst()
            }
            return reply
        }
    }

    // MARK: What was asked

    var requests: [Request] { state.withLock { $0.requests } }
    var outline: [String] { requests.map(\.outline) }

    /// Forgets what was asked.
    func forget() { state.withLock { $0.requests = [] } }

    /// The arguments of all statements of an outline.
    func arguments(of outline: String) -> [[CentralValue]] {
        requests.filter { $0.outline == outline }.map(\.arguments)
    }

    /// The rows that were last copied into a table.
    func copied(into table: String) throws -> CopyRows {
        let request = requests.last { $0.outline == "COPY \(table)" }
        return try CopyRows(try #require(request))
    }

    // MARK: CentralConnection

    @discardableResult
    func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        let reply = reply(to: Request(statement: statement))
        if let error = reply.error, reply.rows.isEmpty { throw error }
        try onColumns(reply.columns)
        for row in reply.rows {
            guard try onRow(row) else { return Int64(reply.rows.count) }
        }
        if let error = reply.error { throw error }
        return Int64(reply.rows.count)
    }

    func execute(_ sql: String) throws(CentralError) {
        let reply = reply(to: Request(statement: CentralStatement(sql)))
        if let error = reply.error { throw error }
    }

    func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        let sink = Sink()
        var buffer = CopyBuffer { bytes throws(CentralError) in
            sink.bytes += bytes.withUnsafeBytes { Array($0) }
        }
        try body(&buffer)
        try buffer.finish()
        let request = Request(statement: CentralStatement(sql), copied: sink.bytes)
        let reply = reply(to: request)
        if let error = reply.error { throw error }
    }
}

/// Hands out connections, in their order, and refuses any more.
final class ScriptedServer: Sendable {
    private let all: [ScriptedConnection]
    /// The last one is the next.
    private let waiting: Mutex<[ScriptedConnection]>

    init(_ connections: ScriptedConnection...) {
        all = connections
        waiting = Mutex(connections.reversed())
    }

    /// How many connections were opened.
    var openedCount: Int { all.count - waiting.withLock { $0.count } }

    var link: CentralLink {
        CentralLink { [self] () throws(CentralError) in try open() }
    }

    private func open() throws(CentralError) -> any CentralConnection {
        guard let next = waiting.withLock({ $0.popLast() }) else {
            throw CentralError.connection("no connection is left")
        }
        return next
    }
}

/// Rows in the columns that the reader selects.
enum SelectedRow {
    /// The shippers 1 and 2.
    static let names = ScriptedConnection.Reply.rows(
        [.integer(1), .text("ci-1")], [.integer(2), .text("ci-2")])

    /// A row of lists that started some microseconds after 2000.
    static func list(
        _ id: Int64, at startedAt: Int64 = 0, state: UInt8 = 1, durationNs: Int64? = nil
    ) -> [CentralValue] {
        var values = [CentralValue](repeating: .null, count: 43)
        values[0] = .integer(id)
        values[1] = .text("GET")
        values[3] = .text("a.test")
        values[10] = .integer(7)
        values[11] = CentralValue(durationNs)
        values[12] = .integer(0)
        values[13] = .integer(0)
        values[14] = .integer(0)
        values[15] = .integer(0)
        values[24] = .encoded(type: 21, [0, state])
        values[27] = .text("[]")
        values[29] = .boolean(false)
        values[42] = .timestamp(startedAt)
        return values
    }
}

extension ScriptedConnection {
    /// The statements that read rows of lists, from WHERE on.
    var rowConditions: [String] {
        requests.filter { $0.sql.hasPrefix(CentralReader.rowSQL) }.map { request in
            let rest = request.sql.dropFirst(CentralReader.rowSQL.count)
            return String(rest.hasPrefix(" WHERE ") ? rest.dropFirst(7) : rest)
        }
    }
}
