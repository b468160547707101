package import ProxydCaptureModel
internal import ProxydCivilTime
package import ProxydExchangeContent
package import ProxydFilter
internal import ProxydInterchange
package import ProxydParameterCoding

/// Rows and exchanges as the interface sends them: like `list --json` and `show --json`, with
/// numbers of exchanges as text.
package enum RowJSON {
    package static func value(_ row: ExchangeRow, position: String) -> JSONValue {
        .members(textual(row.jsonMembers, row) + [("position", .string(position))])
    }

    /// Members of a row or an exchange, with numbers of exchanges as text.
    package static func textual(
        _ members: [(String, JSONValue)], _ row: ExchangeRow
    ) -> [(String, JSONValue)] {
        members.map { name, value in
            switch name {
            case "id": (name, .string(row.idText))
            case "replay_of": (name, .text(row.replayOfText))
            default: (name, value)
            }
        }
    }
}

/// A page of an exchange's messages, like `messages --json`.
package enum MessagesJSON {
    /// The most bytes of each message that are sent.
    package static let byteCountMax = 64 << 10

    package static func value(
        _ rows: [MessageRow], _ grpc: GRPCReading?, next: Int64?
    ) -> JSONValue {
        .members([
            ("messages", .array(rows.map { MessageJSON.value($0, grpc: grpc, withBytes: true) })),
            ("next", .integer(next)),
            ("untrusted", .bool(true)),
        ])
    }
}

/// A summary as the interface sends it: names sorted by count and cut, the rest in `others`.
package enum SummaryJSON {
    /// The most names of one kind that are sent.
    private static let nameCountMax = 100

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

/// One level of the tree of servers and paths.
package enum BranchesJSON {
    /// The most entries that are sent; the others are in `others`.
    private static let entryCountMax = 1_000

    package static func value(_ branches: Branches) -> JSONValue {
        let sorted = branches.totals.sorted { $0.value.count > $1.value.count }
        var others = branches.others
        for (_, totals) in sorted.dropFirst(entryCountMax) { others += totals }
        return .members([
            (
                "branches",
                .array(
                    sorted.prefix(entryCountMax).map { .members(name($0.key) + members($0.value)) })
            ),
            ("others", others.count == 0 ? .null : .members(members(others))),
            ("total", .members(members(branches.all))),
        ])
    }

    private static func name(_ name: Branches.Name) -> [(String, JSONValue)] {
        switch name {
        case .server(let server):
            [
                ("kind", .string("server")), ("name", .string(ServerText(server).text)),
                ("host", .text(server.host)), ("port", .integer(server.port)),
            ]
        case .folder(let path): [("kind", .string("folder")), ("name", .string(path))]
        case .path(let path): [("kind", .string("path")), ("name", .text(path))]
        }
    }

    package static func members(_ totals: BranchTotals) -> [(String, JSONValue)] {
        [
            ("count", .integer(totals.count)), ("errors", .integer(totals.errorCount)),
            ("bytes", .integer(totals.byteCount)),
            ("last_started_at", SummaryJSON.moment(totals.lastStartedAtNs)),
        ]
    }
}

/// A server as `SCHEME://HOST:PORT`; what is unknown is empty.
package struct ServerText {
    package let server: ServerName

    package init(_ server: ServerName) { self.server = server }

    package init?(_ text: String) {
        guard let mark = text.firstRange(of: "://"), let colon = text.lastIndex(of: ":"),
            colon >= mark.upperBound
        else { return nil }
        let (scheme, port) = (text[..<mark.lowerBound], text[text.index(after: colon)...])
        let host = text[mark.upperBound..<colon]
        guard port.isEmpty || Int(port) != nil else { return nil }
        server = ServerName(
            scheme: scheme.isEmpty ? nil : String(scheme),
            host: host.isEmpty ? nil : String(host), port: Int(port))
    }

    package var text: String {
        "\(server.scheme ?? "")://\(server.host ?? ""):\(server.port.map(String.init) ?? "")"
    }
}

/// Filters and their manual as the interface sends them.
package enum FilterJSON {
    /// What a valid filter tests, in the order of its text.
    package static func value(_ filter: Filter) -> JSONValue {
        .members([
            ("valid", .bool(true)), ("filter", .string(filter.text)),
            (
                "conditions",
                .array(
                    filter.terms.map {
                        .members([
                            ("field", .string($0.name)), ("column", .integer($0.column)),
                            ("meaning", .text(meaning(of: $0.name))),
                        ])
                    })
            ),
        ])
    }

    package static let manual = JSONValue.members([
        ("sections", .array(FilterManual.sections.map(section)))
    ])

    private static func meaning(of field: String) -> String? {
        FilterManual.sections.lazy.flatMap(\.entries).first {
            $0.form == field || $0.form.hasPrefix(field + ".")
        }?.meaning
    }

    private static func section(_ section: FilterSection) -> JSONValue {
        .members([
            ("title", .string(section.title)), ("note", .text(section.note)),
            ("entries", .array(section.entries.map(entry))),
        ])
    }

    private static func entry(_ entry: FilterEntry) -> JSONValue {
        .members([
            ("form", .string(entry.form)), ("meaning", .string(entry.meaning)),
            ("completion", .text(entry.completion)), ("values", .strings(entry.values)),
            (
                "examples",
                .array(
                    entry.examples.map {
                        .members([("filter", .string($0.filter)), ("finding", .string($0.finding))])
                    })
            ),
        ])
    }
}

/// Rules as the interface sends them.
package enum RulesJSON {
    package static func value(_ report: RulesReport) -> JSONValue {
        .members([
            ("file", .string(report.file)), ("daemon", .bool(report.isDaemonRunning)),
            ("problems", .strings(report.problems)), ("remarks", .strings(report.remarks)),
            ("rules", .array(report.rules.map(rule))),
        ])
    }

    private static func rule(_ facts: RuleFacts) -> JSONValue {
        .members([
            ("name", .string(facts.name)), ("when", .string(facts.filter)),
            ("does", .string(facts.actions)),
            ("enabled", .bool(facts.isEnabled)), ("group", .text(facts.group)),
            ("temporary", .bool(facts.isTemporary)), ("hits", .integer(facts.usage?.hitCount)),
            ("changed", .integer(facts.usage?.changedCount)),
            ("failed", .integer(facts.usage?.failedCount)),
            ("last_hit_at", SummaryJSON.moment(facts.usage?.lastHitNs ?? 0)),
        ])
    }
}
