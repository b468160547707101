internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydStoreAnswers
internal import ProxydWebServer

/// A request to compare two sets of exchanges.
struct TrafficRequest {
    private static let limitMax = 10_000

    private let filters: [Filter]
    private let matching: MockMatching
    private let anyServer: Bool
    private let limit: Int

    init(_ request: WebRequest, now: Int64) throws(WebProblem) {
        filters = [
            try request.filter("before", now: now), try request.filter("after", now: now),
        ]
        matching = try TrafficRequest.matching(request)
        anyServer = try request.flag("any_server") ?? false
        limit = try request.number("limit", in: 1...TrafficRequest.limitMax) ?? 1_000
    }

    private static func matching(_ request: WebRequest) throws(WebProblem) -> MockMatching {
        do throws(MockMatching.Mistake) {
            return try MockMatching(
                match: request.parameters(named: "match"),
                ignore: request.parameters(named: "ignore"))
        } catch {
            throw WebProblem(400, error.message)
        }
    }

    func json(_ door: StoreDoor, _ request: WebRequest) throws -> JSONValue {
        let sides = try filters.map { filter in
            let side = try door.read(for: request) { (reader) throws(StoreError) in
                try ComparedExchange.side(reader, filter, matching, anyServer: anyServer)
            }
            if let problem = side.problem(filter) { throw WebProblem(400, problem) }
            return side
        }
        return TrafficComparison(sides[0], sides[1]).json(upTo: limit)
    }
}
