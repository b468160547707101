internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydWebServer

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

    init(_ request: WebRequest, now: Int64) throws(WebProblem) {
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
        guard let place = ListPlace(text: text) else {
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

    /// Reads the page.
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
                ($0, ListPlace(reader.position(of: $0, by: column)).text)
            }
        }
        let next = rows.count == limit ? rows.last?.position : nil
        return .members([
            ("exchanges", .array(rows.map { RowJSON.value($0.row, position: $0.position) })),
            ("next", .text(next)),
        ])
    }
}
