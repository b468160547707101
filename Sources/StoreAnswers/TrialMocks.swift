package import ProxydCaptureModel
internal import ProxydHTTPModel
package import ProxydRules

/// What the mocks of tested rules would serve.
package final class TrialMocks {
    /// The maximum number of body bytes that are compared and served.
    private static let bodyByteCountMax = 64 << 20

    private let reader: any ExchangeReading
    private let nowNs: Int64
    private var tables: [MockPlace: MockTable] = [:]
    /// The mocks whose captures cannot be read.
    private var unread: Set<MockPlace> = []

    /// Creates mocks that serve captures of a store.
    /// - Parameter nowNs: The current time in nanoseconds since 1970, for dates that are refreshed.
    package init(_ reader: any ExchangeReading, nowNs: Int64) {
        self.reader = reader
        self.nowNs = nowNs
    }

    /// What a request would be served, after earlier requests.
    package func served(_ call: MockCall) -> MockServed {
        guard call.request.body != nil else {
            return .forwarded("undecided: part of the body was not recorded")
        }
        let place = call.place
        if tables[place] == nil, !unread.contains(place) { read(call.mock, at: place) }
        switch tables[place]?.answer(to: call.request) {
        case .capture(let id): return served(id, call.mock)
        case .unmatched(let miss): return TrialMocks.unmatched(miss, call.mock)
        case nil: return .forwarded("undecided: the captures cannot be read")
        }
    }

    private func read(_ mock: RuleMock, at place: MockPlace) {
        tables[place] = table(of: mock)
        if tables[place] == nil { unread.insert(place) }
    }

    private func table(of mock: RuleMock) -> MockTable? {
        var table = MockTable(mock.matching, order: mock.order)
        do throws(StoreError) {
            try reader.forEachRow(matching: mock.filter, .oldest) { row throws(StoreError) in
                let exchange = try reader.exchange(
                    row.id, bodyByteCountMax: TrialMocks.bodyByteCountMax)
                guard let exchange, !MockCapture.isOfRule(exchange),
                    let capture = try? MockCapture(exchange)
                else { return true }
                return table.add(capture.request, id: capture.id)
            }
            return table
        } catch {
            return nil
        }
    }

    private func served(_ id: Int64, _ mock: RuleMock) -> MockServed {
        let exchange = try? reader.exchange(
            ExchangeID(rawValue: id), bodyByteCountMax: TrialMocks.bodyByteCountMax)
        let answer = exchange.flatMap {
            RuleAnswer($0, isRefreshed: mock.isRefreshed, nowNs: nowNs)
        }
        let name = (try? reader.name(of: ExchangeID(rawValue: id))) ?? "\(id)"
        guard let answer else { return .forwarded("capture \(name) no longer exists") }
        return .answer(answer, note: "status \(answer.status), capture \(name)")
    }

    private static func unmatched(_ miss: MockMiss, _ mock: RuleMock) -> MockServed {
        switch mock.unmatched {
        case .status(let status):
            .answer(RuleAnswer(status: status), note: "status \(status), \(miss.note)")
        case .close: .closed(miss.note)
        case .forward: .forwarded("\(miss.note), forwarded")
        }
    }
}
