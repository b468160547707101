internal import ProxydControl

/// The status in Prometheus's text format, for the text file collector of its node exporter.
struct StatusMetrics {
    private enum Kind: String {
        case gauge
        case counter
    }

    /// The whole text; lines end with a line feed.
    private(set) var text = ""

    /// Writes what is known; what is not has no line.
    init(
        _ status: DaemonStatus?, _ store: StoreFacts?, _ delivery: DeliveryFacts?,
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
        put(
            "recording", "Whether exchanges are recorded.",
            status.recordingStoppedBecause == nil)
        put(
            "rules_valid", "Whether the rules file has no mistakes.", status.rulesProblem == nil)
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
