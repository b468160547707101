import Foundation
import ProxydAssertions
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydFilter
import ProxydHTTPModel
import ProxydProtobuf
import ProxydRules
import Synchronization

@testable import Capture
@testable import ProxydTUI

/// Rows out of memory instead of a store.
final class ScriptedRows: RowSource, ExchangeSource {
    private struct State {
        var rows: [ExchangeRow]
        var storeNumber: UInt64 = 1
        var changeNumber: Int64 = 1
    }

    private let state: Mutex<State>
    /// Whether exchanges arrive in the order of their numbers.
    private let isOrderedByNumber: Bool
    /// Whether everything fails, with these words.
    let failure: String?
    /// What there is to the rows, by number; nothing of those that are not here.
    private let exchanges: [ExchangeID: Exchange]
    let messages = ScriptedMessages()
    /// Above which numbers newer rows were asked for, in turn.
    let askedAbove = Mutex<[Int64]>([])

    init(
        _ rows: [ExchangeRow], failure: String? = nil, exchanges: [Exchange] = [],
        isOrderedByNumber: Bool = true
    ) {
        self.isOrderedByNumber = isOrderedByNumber
        state = Mutex(State(rows: rows.sorted { $0.id < $1.id }))
        self.failure = failure
        self.exchanges = Dictionary(
            exchanges.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    var all: [ExchangeRow] { state.withLock { $0.rows } }

    func change(_ body: (inout [ExchangeRow]) -> Void) {
        state.withLock {
            body(&$0.rows)
            $0.rows.sort { $0.id < $1.id }
            $0.changeNumber += 1
        }
    }

    /// Another store takes the place of this one.
    func replace(by rows: [ExchangeRow]) {
        state.withLock { $0 = State(rows: rows, storeNumber: $0.storeNumber + 1) }
    }

    private func passing(_ filter: Filter) throws -> [ExchangeRow] {
        if let failure { throw WorkFailure(failure) }
        return all.filter { filter.matches(RowSubject(row: $0)) }
    }

    private func key(_ row: ExchangeRow, _ column: SortColumn) -> SortKey {
        isOrderedByNumber || column != .time
            ? SortKey(row, column) : SortKey(value: .integer(row.startedAtNs), id: row.id)
    }

    func page(_ request: RowRequest, progress: (Double) -> Void) throws -> RowPage {
        progress(0.5)
        let isDescending = request.order.isDescending
        let rows = try passing(request.filter)
        let keyed = rows.map { ($0, key($0, request.order.column)) }
        let valued = keyed.filter { $0.1.value != nil }
            .sorted { $0.1.isBefore($1.1, isDescending: isDescending) }
        let others = keyed.filter { $0.1.value == nil }
            .sorted { isDescending ? $0.1.id > $1.1.id : $0.1.id < $1.1.id }
        let sorted = (valued + others).map(\.0)
        let part: ArraySlice<ExchangeRow>
        switch request.anchor {
        case .first: part = sorted[...]
        case .last: part = sorted[...]
        case .after(let row):
            part = sorted.drop { $0.id != row.id }.dropFirst()
        case .before(let row):
            // It may be one that the filter does not pass.
            let key = key(row, request.order.column)
            part = sorted.prefix {
                $0.id != row.id
                    && !key.isBefore(self.key($0, request.order.column), isDescending: isDescending)
            }
        }
        let page =
            request.anchor.isBackward ? part.suffix(request.count) : part.prefix(request.count)
        return RowPage(rows: Array(page), isEnd: page.count < request.count)
    }

    func rows(_ ids: [ExchangeID]) throws -> [ExchangeRow] {
        ids.compactMap { id in all.first { $0.id == id } }
    }

    func name(of id: ExchangeID) throws -> String {
        try rows([id]).first?.idText ?? id.description
    }

    func newer(
        than id: ExchangeID, _ filter: Filter, count: Int, progress: (Double) -> Void
    ) throws -> [ExchangeRow] {
        askedAbove.withLock { $0.append(id.rawValue) }
        return Array(try passing(filter).filter { $0.id > id }.prefix(count))
    }

    func count(_ filter: Filter, progress: (Int64) -> Void) throws -> Int64 {
        Int64(try passing(filter).count)
    }

    func extent() throws -> StoreExtent {
        if let failure { throw WorkFailure(failure) }
        return state.withLock {
            StoreExtent(
                storeNumber: $0.storeNumber, isOrderedByNumber: isOrderedByNumber,
                exchangeCount: Int64($0.rows.count),
                lastID: $0.rows.last?.id.rawValue ?? 0, changeNumber: $0.changeNumber)
        }
    }

    func values(of column: SortColumn) throws -> [String] {
        var values: [String] = []
        for row in all {
            switch SortKey(row, column).value {
            case .text(let text)? where !values.contains(text): values.append(text)
            case .integer(let number)? where !values.contains("\(number)"):
                values.append("\(number)")
            default: break
            }
        }
        return values
    }

    func branches(
        of place: TreePath, _ filter: Filter, progress: (Branches, Double?) -> Void
    ) throws -> Branches {
        var branches = Branches()
        let rows = try passing(filter)
        for (index, row) in rows.enumerated() {
            branches.add(row, below: place)
            if index == rows.count / 2 { progress(branches, 0.5) }
        }
        return branches
    }

    func summary(
        _ filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws -> ExchangeSummary {
        var summary = ExchangeSummary()
        let rows = try passing(filter)
        for (index, row) in rows.enumerated() {
            summary.add(row)
            if index == rows.count / 2 { progress(summary, 0.5) }
        }
        return summary
    }

    /// Phases that take the same share of every exchange.
    func timelines(_ ids: [ExchangeID]) throws -> [ExchangeID: Timeline] {
        let shares: [(Moment, Int64)] = [
            (.dnsStart, 2), (.dnsEnd, 8), (.connectStart, 8), (.connectEnd, 16), (.tlsStart, 16),
            (.tlsEnd, 30), (.sendStart, 30), (.sendEnd, 34), (.responseFirstByte, 80),
            (.responseLastByte, 100),
        ]
        var timelines: [ExchangeID: Timeline] = [:]
        for row in try rows(ids) {
            var timeline = Timeline(wallStart: row.startedAtNs, start: 0)
            let total = row.durationNs ?? 1_000_000_000
            let isAnswered = row.status != nil
            for (moment, share) in shares where isAnswered || share <= 16 {
                timeline[moment] = total / 100 * share
            }
            timelines[row.id] = exchanges[row.id]?.timeline ?? timeline
        }
        return timelines
    }

    func exchange(_ id: ExchangeID, bodyByteCountMax: Int) throws -> Exchange? { exchanges[id] }

    func headBytes(_ id: ExchangeID, _ message: StoredMessage) throws -> [UInt8]? {
        guard let row = all.first(where: { $0.id == id }) else { return nil }
        return message == .request
            ? Array("GET \(row.path ?? "") HTTP/1.1\r\nHost: \(row.host ?? "")\r\n\r\n".utf8)
            : Array("HTTP/1.1 \(row.status ?? 0) \(row.reason ?? "")\r\n\r\n".utf8)
    }

    func forEachBodyChunk(
        _ id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) -> Bool
    ) throws {
        let exchange = exchanges[id]
        let kept = message == .request ? exchange?.request.body.kept : exchange?.response?.body.kept
        if let kept, !kept.isEmpty { _ = body(kept) }
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

/// A row as filters see it.
struct RowSubject: FilterSubject {
    let row: ExchangeRow

    func text(_ column: FilterTextColumn) -> String? {
        switch column {
        case .method: row.method
        case .scheme: row.scheme
        case .host: row.host
        case .path: row.path
        case .query: row.query
        case .url: row.url
        case .responseType: row.responseContentType
        case .process: row.process
        case .state: row.state.rawValue
        case .note: row.note
        case .store: row.storeName
        default: nil
        }
    }

    func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: row.number
        case .status: row.status.map { Int64($0) }
        case .port: row.port.map { Int64($0) }
        case .responseSize: row.responseBodyByteCount
        case .duration: row.durationNs
        case .pinned: row.isPinned ? 1 : 0
        default: nil
        }
    }

    var tags: [String] { row.tags }
    func parameterValues(named name: String) -> [String?] { [] }
    func headerFields(of side: FilterSide) -> [(name: String, value: String)] { [] }
    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] { [] }
    func decodedBody(of side: FilterSide) -> [UInt8]? { nil }
    func responseJSONValues(at path: String) -> [String?] { [] }
    var appliedRules: [String] { row.rules }
    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool { false }
    var graphQLOperations: [FilterGraphQLOperation] { [] }
}

/// Messages out of memory, served as a store serves them.
final class ScriptedMessages: Sendable {
    private let state = Mutex<[ExchangeID: [MessageRow]]>([:])
    /// What describes messages of gRPC.
    let descriptors: DescriptorRegistry
    private let asked = Mutex<[Int]>([])

    /// Messages, and files that describe those of gRPC.
    init(_ files: [FileDescriptor] = []) { descriptors = DescriptorRegistry(files) }

    /// How many messages each page had that was asked for.
    var pageCounts: [Int] { asked.withLock { $0 } }

    /// Puts messages behind those of an exchange.
    func add(_ rows: [MessageRow], to id: ExchangeID) {
        state.withLock { $0[id, default: []] += rows }
    }

    func page(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) -> [MessageRow] {
        let all = state.withLock { $0[id] ?? [] }
        let found: [MessageRow] =
            switch page {
            case .oldest: Array(all.prefix(limit))
            case .newest: all.suffix(limit).reversed()
            case .after(let position): Array(all.drop { $0.position <= position }.prefix(limit))
            case .before(let position):
                all.prefix { $0.position < position }.suffix(limit).reversed()
            case .at(let position): all.filter { $0.position == position }
            }
        asked.withLock { $0.append(found.count) }
        return found.map { row in
            var row = row
            row.bytes = Array(row.bytes.prefix(byteCountMax))
            return row
        }
    }

    /// How many messages carry data.
    func dataCount(of id: ExchangeID) -> Int64 {
        state.withLock { Int64(($0[id] ?? []).count { $0.kind.isData }) }
    }

    func last(of id: ExchangeID) -> Int64? { state.withLock { $0[id]?.last?.position } }
}

/// Scripted sources have nothing to compare; `StorePlayer` has.
extension ExchangeSource {
    func compared(
        _ filter: Filter, _ matching: MockMatching, anyServer: Bool, progress: (Int) -> Void
    ) throws -> ComparedExchange.Side {
        throw WorkFailure("a script has no requests to compare")
    }
}
