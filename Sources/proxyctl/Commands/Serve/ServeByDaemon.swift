internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydRules
internal import ProxydPresentation

/// Captures served by the running daemon: a temporary rule, from its creation to the report.
struct ServeByDaemon {
    /// How long to wait for changes before checking for an interruption, in nanoseconds.
    private static let waitNs: Int64 = 100_000_000
    private static let rule = ServeRun.ruleName

    private let access: RulesAccess
    private let client: ControlClient
    private let reader: any ExchangeReading
    private let directory: DataDirectory

    /// Connects to the daemon and opens its store.
    init(_ directory: DataDirectory) throws {
        guard let client = try WritingProcess.daemon(directory) else {
            throw CommandFailure(
                "no daemon is running on \(directory.path); without --daemon, proxyctl serves by "
                    + "itself"
            )
        }
        self.client = client
        self.directory = directory
        access = try RulesAccess(directory)
        reader = try StoreOpener.reader(directory)
    }

    /// The filter for requests to the hosts that captures were recorded from.
    func hosts(of captures: Filter) throws -> String {
        var hosts: Set<String> = []
        try reader.forEachRow(matching: captures, .oldest) { row in
            if let host = row.host { hosts.insert(HostName.canonical(host)) }
            return hosts.count <= ServeByDaemon.hostCountMax
        }
        guard !hosts.isEmpty else { throw CommandFailure("there is nothing to serve") }
        guard hosts.count <= ServeByDaemon.hostCountMax else {
            throw CommandFailure(
                "the captures have more than \(ServeByDaemon.hostCountMax) hosts: say with --when "
                    + "which requests to answer", code: .usage)
        }
        return hosts.sorted().map { "host=\"\($0)\"" }.joined(separator: " or ")
    }

    /// With more hosts no filter is created.
    private static let hostCountMax = 50

    // MARK: Serving

    /// Serves until a signal arrives, and reports.
    /// - Parameter lines: The rule in the syntax of a file.
    func serve(_ lines: String, when: String, isStrict: Bool) throws {
        try Interruption.watched { isStopped in
            try change(.add(name: ServeByDaemon.rule, lines: lines, place: .first))
            let report: RulesStatus.Mock
            do {
                let captures = try readCaptures(isStopped)
                // From here on every request is reported.
                var follower = try follower()
                Report().line(
                    StyledText("the daemon answers requests matching \(when) with \(captures)"))
                Report().flush()
                try follow(&follower, isStopped)
                report = try mock()
                try change(.remove(name: ServeByDaemon.rule))
                try finish(&follower)
            } catch {
                // If the rule cannot be removed, the daemon is gone, and the rule with it.
                try? change(.remove(name: ServeByDaemon.rule))
                throw error
            }
            for line in ServeReport.lines(report) { Report().line(StyledText(line)) }
            if isStrict, report.unmatchedCount > 0 { throw CommandFailure(nil) }
        }
    }

    private func change(_ change: RuleChange) throws {
        do {
            _ = try access.change(change, isTemporary: true)
        } catch let failure as RulesFailure {
            throw failure.told()
        }
    }

    /// What the rule's captures have done so far.
    private func mock() throws -> RulesStatus.Mock {
        let rules = try ask { () throws(ControlError) in try client.rules() }.rules
        guard let mock = rules.first(where: { $0.name == ServeByDaemon.rule })?.mocks?.first else {
            throw CommandFailure("the rule \"\(ServeByDaemon.rule)\" was removed in the meantime")
        }
        return mock
    }

    /// Waits until the daemon has read the captures; returns their number as text.
    private func readCaptures(_ isStopped: () -> Bool) throws -> String {
        try ask { () throws(ControlError) in try client.subscribe() }
        var mock = try mock()
        while mock.isRead == false, !isStopped() {
            _ = try ask { () throws(ControlError) in
                try client.nextEvent(timeoutNs: ServeByDaemon.waitNs)
            }
            mock = try self.mock()
        }
        for problem in mock.problems { Report.warn(problem) }
        guard mock.captureCount > 0 else { throw CommandFailure("there is nothing to serve") }
        return Quantity.count(mock.captureCount, "capture")
    }

    private func follower() throws -> ExchangeFollower {
        let filter = try FilterArgument.parse("rule=\(ServeByDaemon.rule)")
        return try ExchangeFollower(reader, filter)
    }

    /// Reports each request and its response.
    private func follow(_ follower: inout ExchangeFollower, _ isStopped: () -> Bool) throws {
        let output = Environment.current.output
        while !isStopped(), output.failure == nil {
            let event = try ask { () throws(ControlError) in
                try client.nextEvent(timeoutNs: ServeByDaemon.waitNs)
            }
            guard event != nil else { continue }
            try tellNews(of: &follower)
        }
    }

    /// Reports what ended shortly before the signal, and may not have been stored then.
    private func finish(_ follower: inout ExchangeFollower) throws {
        guard Environment.current.output.failure == nil else { return }
        try DaemonFlush.wait(for: directory)
        try tellNews(of: &follower)
    }

    private func tellNews(of follower: inout ExchangeFollower) throws {
        let rows = try follower.news()
        for row in rows where row.state != .active { try tell(row) }
    }

    private func tell(_ row: ExchangeRow) throws {
        let exchange = try reader.exchange(row.id, bodyByteCountMax: 0)
        let applied = exchange?.appliedRules.first { $0.rule == ServeByDaemon.rule }
        let request = "\(row.method ?? "-") \(row.url ?? "-")"
        Report().line(StyledText("\(request)  \(applied?.detail ?? applied?.outcome ?? "")"))
        Report().flush()
    }

    /// Queries the daemon; reports it if the daemon has ended.
    private func ask<Value>(_ question: () throws(ControlError) -> Value) throws -> Value {
        do throws(ControlError) {
            return try question()
        } catch {
            guard error.kind == .closed else { throw CommandFailure(error.message) }
            throw CommandFailure("the daemon has ended, and with it the rule")
        }
    }
}
