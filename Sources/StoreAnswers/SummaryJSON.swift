package import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydExchangeContent
package import ProxydParameterCoding

/// A summary as the interface sends it. Lists of names are sorted by count and cut; the rest is in
/// `others`.
package enum SummaryJSON {
    /// The most names of one kind that are sent.
    private static let nameCountMax = 100

    /// A summary of a store, which names the exchanges.
    package static func value(
        _ summary: ExchangeSummary, _ reader: any ExchangeReading
    ) throws(StoreError) -> JSONValue {
        let slowest = try slowest(summary, reader)
        return .members([
            ("count", .integer(summary.all.count)),
            ("errors", .integer(summary.all.errorCount)),
            ("bytes", .integer(summary.all.byteCount)),
            ("first_started_at", moment(summary.firstStartedAtNs)),
            ("last_started_at", moment(summary.all.lastStartedAtNs)),
            ("duration_ms", histogram(summary.durations) { .milliseconds($0) }),
            ("response_bytes", histogram(summary.sizes) { .integer($0) }),
            ("statuses", counts(summary.statuses.map { (.integer($0.key), $0.value) })),
            ("types", counts(summary.types.map { (.text($0.key), $0.value) })),
            ("times", times(summary.times)),
            ("methods", counts(summary.methods.map { (.text($0.key), $0.value) })),
            ("hosts", hosts(summary.hosts)),
            ("others", .integer(summary.otherCount)),
            ("slowest", .array(slowest)),
        ])
    }

    private static func slowest(
        _ summary: ExchangeSummary, _ reader: any ExchangeReading
    ) throws(StoreError) -> [JSONValue] {
        try summary.slowest.map { (slow) throws(StoreError) in
            .members([
                ("id", .string(try reader.name(of: slow.id))),
                ("duration_ms", .milliseconds(slow.durationNs)),
            ])
        }
    }

    /// A time, or null for 0.
    package static func moment(_ nanoseconds: Int64) -> JSONValue {
        nanoseconds == 0 ? .null : .string(RFC3339.text(nanoseconds: nanoseconds))
    }

    private static func histogram(
        _ values: ValueHistogram, _ unit: (Int64) -> JSONValue
    ) -> JSONValue {
        func share(_ share: Double) -> JSONValue { values.percentile(share).map(unit) ?? .null }
        let isEmpty = values.count == 0
        return .members([
            ("count", .integer(values.count)),
            ("min", isEmpty ? .null : unit(values.least)), ("p50", share(0.5)),
            ("p90", share(0.9)), ("p95", share(0.95)), ("p99", share(0.99)),
            ("max", isEmpty ? .null : unit(values.largest)),
            ("mean", values.mean.map(unit) ?? .null),
        ])
    }

    private static func times(_ times: TimeHistogram) -> JSONValue {
        .members([
            ("interval_ms", .integer(times.intervalNs / 1_000_000)),
            (
                "intervals",
                .array(
                    times.all.map { start, interval in
                        .members([
                            ("at", .string(RFC3339.text(nanoseconds: start))),
                            ("count", .integer(interval.count)),
                            ("errors", .integer(interval.errorCount)),
                        ])
                    })
            ),
        ])
    }

    private static func counts(_ pairs: [(name: JSONValue, count: Int64)]) -> JSONValue {
        let sorted = pairs.sorted { ($0.count, "\($1.name)") > ($1.count, "\($0.name)") }
        return .array(
            sorted.prefix(nameCountMax).map {
                .members([("name", $0.name), ("count", .integer($0.count))])
            })
    }

    private static func hosts(_ hosts: [String?: BranchTotals]) -> JSONValue {
        let sorted = hosts.sorted {
            ($0.value.count, $1.key ?? "") > ($1.value.count, $0.key ?? "")
        }
        return .array(
            sorted.prefix(nameCountMax).map { name, totals in
                .members([("name", .text(name))] + BranchesJSON.members(totals))
            })
    }
}
