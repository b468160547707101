import ProxydCaptureModel
import ProxydHTTPModel
import ProxydTestSupport
import Testing

struct ExchangeSummaryTests {
    private func summary(_ rows: [ExchangeRow]) -> ExchangeSummary {
        rows.reduce(into: ExchangeSummary()) { $0.add($1) }
    }

    @Test func `a summary counts exchanges by status, method and host`() {
        let found = summary([
            Rows.row(3, status: 404, byteCount: 7), Rows.row(1), Rows.row(2, method: "PUT"),
            Rows.row(4, method: nil, host: nil, status: nil, state: .failed),
        ])
        #expect(found.all.count == 4)
        #expect(found.all.errorCount == 2)
        #expect(found.statuses == [200: 2, 404: 1, nil: 1])
        #expect(found.methods == ["GET": 2, "PUT": 1, nil: 1])
        #expect(found.hosts.mapValues(\.count) == ["a.test": 3, nil: 1])
        #expect(found.hosts["a.test"]?.byteCount == 7)
        #expect(found.firstStartedAtNs == 1_001)
        #expect(found.all.lastStartedAtNs == 1_004)
    }

    @Test func `a summary finds the slowest exchanges in whatever order they are added`() {
        var random = SplitMix(seed: 11)
        let rows = (0..<500).map {
            Rows.row(Int64($0), durationNs: Int64.random(in: 0..<200, using: &random))
        }
        let found = summary(rows)
        let durations = rows.compactMap(\.durationNs).sorted(by: >)
        #expect(
            found.slowest.map(\.durationNs)
                == Array(durations.prefix(ExchangeSummary.slowestCountMax)))
        #expect(Set(found.slowest.map(\.id)).count == ExchangeSummary.slowestCountMax)
    }

    @Test func `of many equally slow exchanges, a summary lists those that were added first`() {
        let found = summary((0..<30).map { Rows.row($0, durationNs: 5) })
        #expect(found.slowest.map(\.id.rawValue) == Array(0..<20))
    }

    @Test func `an active exchange adds neither a duration nor a size to a summary's histograms`() {
        let found = summary([Rows.row(durationNs: nil, byteCount: 9, state: .active)])
        #expect(found.durations.count == 0)
        #expect(found.sizes.count == 0)
        #expect(found.slowest.isEmpty)
        #expect(found.all.byteCount == 9)
    }

    @Test
    func `a summary still counts the exchanges of hosts that do not fit into its list of hosts`() {
        let maximum = ExchangeSummary.nameCountMax
        var found = ExchangeSummary()
        for id in 0..<(maximum + 2) { found.add(Rows.row(Int64(id), host: "\(id).test")) }
        found.add(Rows.row(1, host: "0.test"))
        #expect(found.hosts.count == maximum)
        #expect(found.otherCount == 2)
        #expect(found.hosts["0.test"]?.count == 2)
        #expect(found.all.count == Int64(maximum + 3))
        #expect(found.statuses[200] == Int64(maximum + 3))
    }

    @Test func `a summary of no exchanges is empty`() {
        #expect(summary([]) == ExchangeSummary())
        #expect(ExchangeSummary().firstStartedAtNs == 0)
    }
}
