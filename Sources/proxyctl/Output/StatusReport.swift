internal import ProxydExchangeContent
internal import ProxydPresentation
internal import Capture
internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydInterchange
internal import ProxydParameterCoding

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

    static func lines(_ store: StoreFacts?, _ directory: DataDirectory) -> [StyledText] {
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
        _ status: DaemonStatus?, _ store: StoreFacts?, _ delivery: DeliveryFacts?,
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
            status.droppedExchangeCount == 0 && status.droppedBodyByteCount == 0
            && connections == 0
        let text =
            "\(Quantity.count(status.droppedExchangeCount, "exchange")), "
            + "\(Quantity.bytes(status.droppedBodyByteCount)) of bodies"
            + (connections > 0 ? ", \(Quantity.count(connections, "connection"))" : "")
        return label("not recorded") + StyledText(text, isNone ? .plain : .bad)
    }
}
