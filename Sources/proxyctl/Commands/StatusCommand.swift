internal import Capture
internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydSystem
internal import ProxydTLS
internal import ArgumentParser
internal import Glibc

/// `proxyctl status`: the status of the daemon and its store.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the daemon and its store.",
        discussion: "Exits with 0 if the daemon is running, otherwise with 1.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object.")
    var json = false
    @Flag(help: "Metrics for Prometheus, in its text format.")
    var prometheus = false

    func validate() throws {
        if json, prometheus { throw ValidationError("--json and --prometheus exclude each other") }
    }

    func run() throws {
        let directory = try global.dataDirectory()
        let status = try running(directory)
        let report = Report()
        let delivery = DeliveryFacts(directory)
        if json || prometheus {
            let store = status == nil ? StoreFileStatus(directory) : nil
            let expiry = try? AuthorityAccess(directory).certificate.notAfter
            if json {
                report.json(
                    StatusReport.json(
                        status, store, delivery, authorityExpiry: expiry, directory.path))
            } else {
                let metrics = StatusMetrics(status, store, delivery, authorityExpiry: expiry)
                report.exactly(Array(metrics.text.utf8))
            }
        } else {
            let lines =
                status.map { StatusReport.lines($0, now: SystemClock.wallNow()) }
                ?? StatusReport.lines(StoreFileStatus(directory), directory)
            for line in lines + StatusReport.lines(delivery) { report.line(line) }
        }
        if status == nil {
            throw CommandFailure(
                "proxyd is not running on \(directory.path)",
                nextStep: NextStep.withoutStore(directory))
        }
    }

    /// The daemon's status, or nil if none is running.
    private func running(_ directory: DataDirectory) throws -> DaemonStatus? {
        do throws(ControlError) {
            return try ControlClient(dataDirectory: directory.path).status()
        } catch {
            if error.kind == .notRunning { return nil }
            throw CommandFailure(error.message)
        }
    }
}

/// The daemon's status as lines and as JSON.
enum StatusReport {
    static func lines(_ status: DaemonStatus, now: Int64) -> [StyledText] {
        let uptime = Quantity.duration(now &- status.startedAt)
        var lines = [
            line("proxyd", "\(status.version), pid \(status.pid), up \(uptime)"),
            line("listening", status.listenAddresses.joined(separator: ", ")),
            recording(status),
            line(
                "connections",
                "\(Quantity.count(status.clientConnectionCount, "client")), "
                    + Quantity.count(status.serverConnectionCount, "server")),
            line(
                "exchanges",
                "\(status.storedExchangeCount) stored, "
                    + "\(status.activeExchangeCount) active, "
                    + "\(status.finishedExchangeCount) finished since the start"),
            line("queue", Quantity.bytes(status.queuedByteCount)),
            dropped(status),
        ]
        if let problem = status.rulesProblem {
            lines.append(label("rules") + StyledText(problem, .bad))
        }
        lines += [
            line(
                "unrecorded",
                Quantity.count(status.unrecordedExchangeCount ?? 0, "exchange")
                    + " while recording was paused, or outside recording.filter"),
            switched(status),
            line(
                "store",
                "\(Quantity.bytes(status.storeByteCount)), write-ahead log "
                    + "\(Quantity.bytes(status.walByteCount)), in \(status.dataDirectory)"),
            line("memory", status.residentByteCount.map(Quantity.bytes) ?? "not known"),
        ]
        return lines
    }

    static func lines(_ store: StoreFileStatus?, _ directory: DataDirectory) -> [StyledText] {
        guard let store else { return [line("store", "none in \(directory.path)")] }
        let count = store.exchangeCount.map { "\(Quantity.count($0, "exchange")), " } ?? ""
        return [
            line(
                "store",
                "\(count)\(Quantity.bytes(store.storeByteCount)), write-ahead log "
                    + "\(Quantity.bytes(store.walByteCount)), in \(directory.path)")
        ]
    }

    /// Nothing for a store that was never delivered.
    static func lines(_ delivery: DeliveryFacts?) -> [StyledText] {
        guard let delivery else { return [] }
        let waiting = Quantity.count(delivery.waitingCount, "exchange")
        let lost = Quantity.count(delivery.lostCount, "exchange")
        var lines = [line("delivered", "through \(delivery.through), \(waiting) waiting")]
        if delivery.lostCount > 0 {
            lines.append(label("undelivered") + StyledText("\(lost) removed by retention", .bad))
        }
        return lines
    }

    static func json(
        _ status: DaemonStatus?, _ store: StoreFileStatus?, _ delivery: DeliveryFacts?,
        authorityExpiry: Int?, _ dataDirectory: String
    ) -> JSONValue {
        .members([
            ("running", .bool(status != nil)),
            ("version", .text(status?.version)),
            ("pid", .integer(status?.pid)),
            ("started_at", .text(status.map { RFC3339.text(nanoseconds: $0.startedAt) })),
            ("listen_addresses", status.map { .strings($0.listenAddresses) } ?? .null),
            ("data_dir", .string(status?.dataDirectory ?? dataDirectory)),
            ("recording", status.map { .bool($0.recordingStoppedBecause == nil) } ?? .null),
            ("recording_stopped_because", .text(status?.recordingStoppedBecause)),
            ("rules_problem", .text(status?.rulesProblem)),
            ("client_connections", .integer(status?.clientConnectionCount)),
            ("server_connections", .integer(status?.serverConnectionCount)),
            ("active_exchanges", .integer(status?.activeExchangeCount)),
            ("finished_exchanges", .integer(status?.finishedExchangeCount)),
            ("stored_exchanges", .integer(status?.storedExchangeCount ?? store?.exchangeCount)),
            ("queue_bytes", .integer(status?.queuedByteCount)),
            ("dropped_exchanges", .integer(status?.droppedExchangeCount)),
            ("unrecorded_exchanges", .integer(status?.unrecordedExchangeCount)),
            (
                "switched_hosts",
                .members(
                    (status?.switchedHosts ?? [:]).sorted { $0.key < $1.key }
                        .map { ($0.key, .bool($0.value)) })
            ),
            ("dropped_body_bytes", .integer(status?.droppedBodyByteCount)),
            ("dropped_connections", .integer(status?.droppedConnectionCount)),
            ("store_bytes", .integer(status?.storeByteCount ?? store?.storeByteCount)),
            ("wal_bytes", .integer(status?.walByteCount ?? store?.walByteCount)),
            ("resident_bytes", .integer(status?.residentByteCount)),
            ("processor_ms", .integer(status?.processorNs.map { $0 / 1_000_000 })),
            ("open_descriptors", .integer(status?.openDescriptorCount)),
            ("descriptors_max", .integer(status?.descriptorCountMax)),
            ("free_bytes", .integer(status?.freeByteCount)),
            (
                "authority_expires_at",
                .text(authorityExpiry.map { RFC3339.text(seconds: Int64($0)) })
            ),
            ("delivered_through", .integer(delivery?.through)),
            ("undelivered_exchanges", .integer(delivery?.waitingCount)),
            ("undelivered_lost", .integer(delivery?.lostCount)),
        ])
    }

    private static func line(_ name: String, _ text: String) -> StyledText {
        label(name) + StyledText(text)
    }

    private static func label(_ name: String) -> StyledText {
        StyledText(name + String(repeating: " ", count: max(1, 13 - name.count)), .dim)
    }

    private static func recording(_ status: DaemonStatus) -> StyledText {
        guard let reason = status.recordingStoppedBecause else {
            return label("recording") + StyledText("on", .good)
        }
        return label("recording") + StyledText("stopped: \(reason)", .bad)
    }

    private static func switched(_ status: DaemonStatus) -> StyledText {
        let hosts = (status.switchedHosts ?? [:]).sorted { $0.key < $1.key }
        let texts = hosts.map { "\($0.key) \($0.value ? "opened" : "unread")" }
        return line("interception", texts.isEmpty ? "as configured" : texts.joined(separator: ", "))
    }

    private static func dropped(_ status: DaemonStatus) -> StyledText {
        let connections = status.droppedConnectionCount
        let isNone =
            status.droppedExchangeCount == 0 && status.droppedBodyByteCount == 0 && connections == 0
        let text =
            "\(Quantity.count(status.droppedExchangeCount, "exchange")), "
            + "\(Quantity.bytes(status.droppedBodyByteCount)) of bodies"
            + (connections > 0 ? ", \(Quantity.count(connections, "connection"))" : "")
        return label("not recorded") + StyledText(text, isNone ? .plain : .bad)
    }
}

/// The status in Prometheus's text format, for the text file collector of its node exporter.
struct StatusMetrics {
    private enum Kind: String {
        case gauge
        case counter
    }

    /// The whole text; lines end with a line feed.
    private(set) var text = ""

    /// Writes what is known; unknown values have no line.
    init(
        _ status: DaemonStatus?, _ store: StoreFileStatus?, _ delivery: DeliveryFacts?,
        authorityExpiry: Int?
    ) {
        put("up", "Whether proxyd is running.", status != nil)
        if let status { put(status) }
        put(
            "stored_exchanges", "Exchanges in the store.",
            status?.storedExchangeCount ?? store?.exchangeCount)
        put(
            "store_bytes", "Size of the store's file.",
            status?.storeByteCount ?? store?.storeByteCount)
        put(
            "wal_bytes", "Size of the store's write-ahead log.",
            status?.walByteCount ?? store?.walByteCount)
        put(
            "undelivered_exchanges", "Exchanges that the central store does not have yet.",
            delivery?.waitingCount)
        put(
            "undelivered_lost_total",
            "Exchanges that retention removed before they were delivered.", delivery?.lostCount,
            .counter)
        put(
            "authority_expiry_timestamp_seconds",
            "When the certificate of the authority expires.", authorityExpiry)
    }

    private mutating func put(_ status: DaemonStatus) {
        head("info", "The program's version.", .gauge)
        text += "proxyd_info{version=\"\(StatusMetrics.escaped(status.version))\"} 1\n"
        put(
            "start_time_seconds", "When the daemon started.",
            Double(status.startedAt) / 1_000_000_000)
        put("recording", "Whether exchanges are recorded.", status.recordingStoppedBecause == nil)
        put("rules_valid", "Whether the rules file has no mistakes.", status.rulesProblem == nil)
        putTraffic(status)
        putLosses(status)
        putResources(status)
    }

    private mutating func putTraffic(_ status: DaemonStatus) {
        put("client_connections", "Open client connections.", status.clientConnectionCount)
        put(
            "server_connections", "Open server connections, including idle ones.",
            status.serverConnectionCount)
        put("active_exchanges", "Exchanges under way.", status.activeExchangeCount)
        put(
            "finished_exchanges_total", "Exchanges finished since the start.",
            status.finishedExchangeCount, .counter)
        put("queue_bytes", "Bytes that wait for the recorder.", status.queuedByteCount)
    }

    private mutating func putLosses(_ status: DaemonStatus) {
        put(
            "unrecorded_exchanges_total",
            "Exchanges not recorded because it was switched off or not asked for.",
            status.unrecordedExchangeCount, .counter)
        put(
            "dropped_exchanges_total", "Exchanges lost because recording was stopped or too slow.",
            status.droppedExchangeCount, .counter)
        put(
            "dropped_body_bytes_total", "Bytes of bodies lost for the same reasons.",
            status.droppedBodyByteCount, .counter)
        put(
            "dropped_connections_total",
            "Connections that are missing in rows for the same reasons.",
            status.droppedConnectionCount, .counter)
    }

    private mutating func putResources(_ status: DaemonStatus) {
        put("resident_memory_bytes", "Resident memory.", status.residentByteCount)
        put(
            "cpu_seconds_total", "Processor time since the start.",
            status.processorNs.map { Double($0) / 1_000_000_000 }, .counter)
        put("open_fds", "Open descriptors.", status.openDescriptorCount)
        put("max_fds", "The limit of open descriptors.", status.descriptorCountMax)
        put("free_bytes", "Free space where the store is.", status.freeByteCount)
    }

    private mutating func put(
        _ name: String, _ help: String, _ value: (some CustomStringConvertible)?,
        _ kind: Kind = .gauge
    ) {
        guard let value else { return }
        head(name, help, kind)
        text += "proxyd_\(name) \(value)\n"
    }

    private mutating func put(_ name: String, _ help: String, _ value: Bool) {
        put(name, help, value ? 1 : 0)
    }

    private mutating func head(_ name: String, _ help: String, _ kind: Kind) {
        text += "# HELP proxyd_\(name) \(help)\n# TYPE proxyd_\(name) \(kind.rawValue)\n"
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "\\", "\"": escaped += "\\\(character)"
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
    }
}

/// Facts about a store that are available while no daemon is running.
struct StoreFileStatus {
    /// The size of the database file in bytes.
    let storeByteCount: Int64
    /// The size of the write-ahead log in bytes; 0 if there is none.
    let walByteCount: Int64
    /// The number of exchanges, or nil if the store cannot be read.
    let exchangeCount: Int64?

    /// Returns nil if there is no store.
    init?(_ directory: DataDirectory) {
        guard let size = StoreFileStatus.byteCount(directory.storePath) else { return nil }
        storeByteCount = size
        walByteCount = StoreFileStatus.byteCount(directory.storePath + "-wal") ?? 0
        // Not through `StoreOpener`, whose advice about an unreadable store needs these facts.
        OwnerIdentity.assume(of: directory.path)
        exchangeCount = try? StoreReader(directory: directory).exchangeCount()
    }

    private static func byteCount(_ path: String) -> Int64? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int64(facts.st_size) : nil
    }
}

/// How far a store was delivered to a central store.
struct DeliveryFacts {
    /// All exchanges up to this number were delivered.
    let through: Int64
    /// The number of exchanges that are still to be delivered.
    let waitingCount: Int64
    /// The number of exchanges that retention removed before they were delivered.
    let lostCount: Int64

    /// Returns nil if the store cannot be read or was never delivered.
    init?(_ directory: DataDirectory) {
        guard let reader = try? StoreReader(directory: directory),
            let state = try? reader.deliveryState(), let through = state.deliveredThrough,
            let waitingCount = try? reader.exchangeCount(after: through)
        else { return nil }
        self.through = through
        self.waitingCount = waitingCount
        lostCount = state.undeliveredLost
    }
}
