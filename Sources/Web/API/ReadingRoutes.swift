internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydOperations
internal import ProxydWebServer

/// Routes that read lists and totals.
struct ReadingRoutes: Sendable {
    let store: SharedReader
    let now: @Sendable () -> Int64

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/exchanges") { request in
            let list = try ExchangeList(request, now: now())
            return .json(
                try store.read(for: request) { (reader) throws(StoreError) in
                    try list.page(reader)
                })
        }
        router.add(.get, "/api/v1/count") { request in
            let filter = try request.filter(now: now())
            let count = try store.read(for: request) { (reader) throws(StoreError) in
                try reader.count(matching: filter)
            }
            return .json(.members([("count", .integer(count))]))
        }
        router.add(.get, "/api/v1/summary") { request in
            let filter = try request.filter(now: now())
            return .json(
                try store.read(for: request) { (reader) throws(StoreError) in
                    try SummaryJSON.value(reader.summary(matching: filter), reader)
                })
        }
        router.add(.get, "/api/v1/branches") { request in
            let filter = try request.filter(now: now())
            let place = try BranchesJSON.place(request)
            let branches = try store.read(for: request) { (reader) throws(StoreError) in
                try reader.branches(of: place, matching: filter)
            }
            return .json(BranchesJSON.value(branches))
        }
        router.add(.get, "/api/v1/values/{column}") { request in
            guard let column = SortColumn(rawValue: request.segment("column")) else {
                throw WebProblem(404, "there is no column \(request.segment("column"))")
            }
            let values = try store.read(for: request) { (reader) throws(StoreError) in
                try reader.values(of: column)
            }
            return .json(.members([("values", .strings(values))]))
        }
        router.add(.get, "/api/v1/compare") { request in
            .json(try TrafficRequest(request, now: now()).json(store, request))
        }
        router.add(.get, "/api/v1/filter/check") { request in
            .json(FilterJSON.value(try request.filter(now: now())))
        }
        router.add(.get, "/api/v1/filter/manual") { _ in .json(FilterJSON.manual) }
    }
}

/// `GET /exchanges`: a page of a list, in the order of capture or sorted by a column.
struct ExchangeList {
    /// The number of rows unless a request names another, and the most that it may name.
    private static let defaultLimit = 50
    private static let limitMax = 500

    private let filter: Filter
    private let limit: Int
    private let order: Order

    private enum Order {
        case captured(PageDirection)
        case sorted(SortColumn, isDescending: Bool, from: ListPosition?, isBackward: Bool)
    }

    init(_ request: WebRequest, now: Int64) throws {
        filter = try request.filter(now: now)
        limit =
            try request.number("limit", in: 1...ExchangeList.limitMax) ?? ExchangeList.defaultLimit
        let isDescending = try ExchangeList.isDescending(request)
        let (before, after) = (request.parameter("before"), request.parameter("after"))
        guard before == nil || after == nil else {
            throw WebProblem(400, "before and after exclude each other")
        }
        if let name = request.parameter("sort"), name != "id", name != "time" {
            guard let column = SortColumn(rawValue: name) else {
                let names = SortColumn.allCases.map(\.rawValue).joined(separator: ", ")
                throw WebProblem(400, "sort must be one of: \(names)")
            }
            order = .sorted(
                column, isDescending: isDescending ?? false,
                from: try (before ?? after).map(ExchangeList.position), isBackward: before != nil)
        } else if let before {
            order = .captured(.before(try ExchangeList.id(before)))
        } else if let after {
            order = .captured(.after(try ExchangeList.id(after)))
        } else {
            order = .captured(isDescending ?? true ? .newest : .oldest)
        }
    }

    private static func isDescending(_ request: WebRequest) throws(WebProblem) -> Bool? {
        switch request.parameter("order") {
        case nil: nil
        case "asc": false
        case "desc": true
        default: throw WebProblem(400, "order must be asc or desc")
        }
    }

    private static func position(_ text: String) throws(WebProblem) -> ListPosition {
        guard let place = PageCursor(text: text) else {
            throw WebProblem(400, "before and after take the position of a row of this list")
        }
        return place.position
    }

    /// In the order of capture, a position is the number of its exchange.
    private static func id(_ text: String) throws(WebProblem) -> ExchangeID {
        guard let number = Int64(text), number >= 0 else {
            throw WebProblem(400, "before and after take the position of a row of this list")
        }
        return ExchangeID(rawValue: number)
    }

    func page(_ reader: any ExchangeReading) throws(StoreError) -> JSONValue {
        let rows: [(row: ExchangeRow, position: String)]
        switch order {
        case .captured(let direction):
            rows = try reader.rows(matching: filter, direction, limit: limit).map {
                ($0, "\($0.id)")
            }
        case .sorted(let column, let isDescending, let start, let isBackward):
            let positions = try reader.positions(
                matching: filter, by: column, isDescending: isDescending, from: start,
                isBackward: isBackward, limit: limit)
            rows = try reader.rows(positions.map(\.id)).map {
                ($0, PageCursor(reader.position(of: $0, by: column)).text)
            }
        }
        let next = rows.count == limit ? rows.last?.position : nil
        return .members([
            ("exchanges", .array(rows.map { RowJSON.value($0.row, position: $0.position) })),
            ("next", .text(next)),
        ])
    }
}

/// A position in a list, as clients carry it from page to page. Its text means nothing to them.
struct PageCursor {
    let position: ListPosition

    init(_ position: ListPosition) { self.position = position }

    /// Reads the text of a position; nil if it is not one.
    init?(text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int64(parts[0]) else { return nil }
        let id = ExchangeID(rawValue: number)
        switch parts[1] {
        case "n": position = ListPosition(value: nil, id: id)
        case "i":
            guard let value = Int64(parts[2]) else { return nil }
            position = ListPosition(value: .integer(value), id: id)
        case "t":
            guard let bytes = Base64.bytes(String(parts[2])),
                let value = String(validating: bytes, as: UTF8.self)
            else { return nil }
            position = ListPosition(value: .text(value), id: id)
        default: return nil
        }
    }

    var text: String {
        switch position.value {
        case nil: "\(position.id).n."
        case .integer(let value): "\(position.id).i.\(value)"
        case .text(let value): "\(position.id).t.\(Base64.text(Array(value.utf8)))"
        }
    }
}

extension BranchesJSON {
    /// The place that the parameters `server` and `folder` name; all servers without `server`.
    static func place(_ request: WebRequest) throws(WebProblem) -> TreePath {
        guard let text = request.parameter("server") else { return .everything }
        guard let server = ServerText(text)?.server else {
            throw WebProblem(400, "server must be the name of a branch: SCHEME://HOST:PORT")
        }
        let folder = request.parameter("folder") ?? ""
        return TreePath(server: server, folder: folder == "/" ? "" : folder)
    }
}

/// A request to compare two sets of exchanges.
struct TrafficRequest {
    private static let limitMax = 10_000

    private let filters: [Filter]
    private let matching: MockMatching
    private let anyServer: Bool
    private let limit: Int

    init(_ request: WebRequest, now: Int64) throws {
        filters = [try request.filter("before", now: now), try request.filter("after", now: now)]
        matching = try MockMatching(
            match: request.parameters(named: "match"), ignore: request.parameters(named: "ignore"))
        anyServer = try request.flag("any_server") ?? false
        limit = try request.number("limit", in: 1...TrafficRequest.limitMax) ?? 1_000
    }

    func json(_ store: SharedReader, _ request: WebRequest) throws -> JSONValue {
        let sides = try filters.map { filter in
            let side = try store.read(for: request) { (reader) throws(StoreError) in
                try ComparedExchange.side(reader, filter, matching, anyServer: anyServer)
            }
            if let problem = side.problem(filter) { throw WebProblem(400, problem) }
            return side
        }
        return TrafficComparison(sides[0], sides[1]).json(upTo: limit)
    }
}
