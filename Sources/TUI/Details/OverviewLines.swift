internal import ProxydPresentation
internal import ProxydInterchange
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Everything about an exchange at one glance.
struct OverviewLines {
    let subject: DetailSubject
    let tally: MessageTally
    let clock: WallTime

    private static let labelColumnCount = 14
    private static let barColumnCount = 48

    private var row: ExchangeRow { subject.row }
    private var exchange: Exchange { subject.exchange }

    func lines() -> [StyledText] {
        summary() + messages() + annotations() + parameters() + connections() + times() + sizes()
    }

    // MARK: Groups

    private func summary() -> [StyledText] {
        var lines = [pair("url", row.url ?? "no URL could be read", .accent)]
        lines.append(pair("method", row.method ?? "-"))
        if let status = row.status {
            lines.append(
                pair("status", "\(status) \(row.reason ?? "")", Style(.ofStatus(status))))
        }
        lines.append(pair("state", row.state.rawValue))
        if let version = row.httpVersion {
            let answered = exchange.response.map { "\($0.head.version)" }
            let both = answered.map { $0 == version ? version : "\(version), answered \($0)" }
            lines.append(pair("protocol", both ?? version))
        }
        if let error = row.error { lines.append(pair("error", error, .bad)) }
        if let fault = exchange.responseFault {
            if let refusal = fault.refusal { lines.append(pair("refused", refusal.reason, .bad)) }
            lines += fault.repairs.map { pair("repaired", $0, .notice) }
        }
        if let cut = exchange.cutBodyText { lines.append(pair("body", cut, .bad)) }
        if let http2 = exchange.http2 {
            lines.append(pair("stream", http2.streamText))
            if let reset = http2.resetText { lines.append(pair("reset", reset, .bad)) }
        }
        lines += row.graphQL.map { pair("graphql", $0.description, .accent) }
        if !row.rules.isEmpty {
            lines.append(pair("rules", row.rules.joined(separator: ", "), .accent))
        }
        if let name = row.upgradedTo { lines.append(pair("upgraded to", name)) }
        if let id = row.replayOf { lines.append(pair("repeats", "#\(id)")) }
        if let type = row.requestContentType { lines.append(pair("request type", type)) }
        if let type = row.responseContentType { lines.append(pair("type", type)) }
        return lines
    }

    /// How a gRPC call ended, and what the messages add up to.
    private func messages() -> [StyledText] {
        MessageSums(
            tally: tally, last: subject.lastMessage, row: row, exchange: exchange
        ).pairs().map { pair($0.name, $0.value, Style($0.role)) }
    }

    private func annotations() -> [StyledText] {
        var lines: [StyledText] = []
        if let note = row.note { lines.append(pair("note", note, .notice)) }
        if !row.tags.isEmpty {
            lines.append(pair("tags", row.tags.joined(separator: ", "), .notice))
        }
        if row.isPinned { lines.append(pair("pinned", "yes", .notice)) }
        return lines
    }

    private func parameters() -> [StyledText] {
        guard !subject.parameters.isEmpty else { return [] }
        var lines = heading("parameters")
        var source: ExtractedParameter.Source?
        for parameter in subject.parameters {
            let name = parameter.source == source ? "" : parameter.source.rawValue
            source = parameter.source
            var line = label(name)
            line.append(parameter.name, .key)
            if let value = parameter.value {
                line.append(" = ", .punctuation)
                line.append(value, .string)
            }
            lines.append(line)
        }
        return lines
    }

    private func connections() -> [StyledText] {
        var lines = heading("connections")
        if let client = exchange.client {
            lines.append(pair("client", "\(client.peerAddress) → \(client.localAddress)"))
            lines += security(client.security) + settings(client.http2)
        }
        if let process = exchange.client?.process {
            lines.append(pair("process", "\(process.name), pid \(process.pid)"))
        }
        if let server = exchange.server {
            lines.append(pair("server", "\(server.localAddress) → \(server.peerAddress)"))
            lines += security(server.security) + settings(server.http2)
            let isKept = exchange.timeline.connectionReused
            lines.append(pair("connection", isKept ? "kept alive, used before" : "new"))
        }
        return lines.count > 2 ? lines : []
    }

    private func security(_ security: ConnectionRecord.Security?) -> [StyledText] {
        guard let security else { return [] }
        let parts: [String?] = [
            security.version ?? "relayed unread", security.cipher,
            security.alpn.map { "ALPN \($0)" }, security.serverName.map { "SNI \($0)" },
            security.isResumed ? "resumed" : nil,
            security.peerCertificates.isEmpty
                ? nil : "\(security.peerCertificates.count) certificates",
        ]
        return [pair("  tls", parts.compactMap { $0 }.joined(separator: "  "))]
    }

    private func settings(_ http2: HTTP2ConnectionFacts?) -> [StyledText] {
        guard let http2 else { return [] }
        return [
            pair("  settings", HTTP2ConnectionFacts.text(http2.peerSettings)),
            pair("  ours", HTTP2ConnectionFacts.text(http2.ourSettings)),
        ]
    }

    private func times() -> [StyledText] {
        let timeline = exchange.timeline
        var lines = heading("times")
        let moments: [(String, Moment)] = [
            ("request", .requestFirstByte), ("  end", .requestLastByte),
            ("response", .responseFirstByte), ("  end", .responseLastByte),
        ]
        lines.append(pair("start", date(timeline.wallStart)))
        for (name, moment) in moments {
            guard let time = timeline.wallTime(of: moment), let offset = timeline[moment] else {
                continue
            }
            lines.append(pair(name, "\(clock.precise(time))  +\(Quantity.duration(offset))"))
        }
        if let total = row.durationNs ?? timeline.totalDuration {
            lines.append(pair("duration", Quantity.duration(total)))
        }
        if let latency = timeline.latency {
            lines.append(pair("latency", Quantity.duration(latency)))
        }
        lines += bar(timeline)
        if let speed = speed(timeline) { lines.append(pair("speed", speed)) }
        return lines
    }

    /// All phases in one bar, each as wide as its share, and what each of them took.
    private func bar(_ timeline: Timeline) -> [StyledText] {
        let phases = TimelinePhase.server.compactMap { phase in
            phase.duration(timeline).map { (phase: phase, duration: $0) }
        }
        guard !phases.isEmpty else { return [] }
        let total = max(1, phases.reduce(Int64(0)) { $0.addingClamped($1.duration) })
        var bar = label("phases")
        var legend = label("")
        for (phase, duration) in phases {
            let share = min(1, Double(duration) / Double(total))
            let width = max(1, Int((share * Double(OverviewLines.barColumnCount)).rounded()))
            bar.append(String(repeating: "█", count: width), Style(phase.role))
            legend.append("\(phase.name) ", Style(phase.role))
            legend.append("\(Quantity.duration(duration))  ", .plain)
        }
        return [bar, legend]
    }

    private func speed(_ timeline: Timeline) -> String? {
        guard let receive = timeline.receive, receive > 0, row.responseBodyByteCount > 0 else {
            return nil
        }
        let rate = Double(row.responseBodyByteCount) / (Double(receive) / 1e9)
        return "\(Quantity.bytes(Int64(min(rate, 1e18))))/s while receiving"
    }

    private func sizes() -> [StyledText] {
        var lines = heading("sizes")
        let heads = (subject.requestHead?.count ?? 0, subject.responseHead?.count ?? 0)
        lines.append(pair("request", size(heads.0, subject.request)))
        if exchange.response != nil {
            lines.append(pair("response", size(heads.1, subject.response)))
        }
        let total = Int64(heads.0 + heads.1)
            .addingClamped(max(0, row.requestBodyByteCount))
            .addingClamped(max(0, row.responseBodyByteCount))
        lines.append(pair("total", Quantity.bytes(total)))
        return lines
    }

    private func size(_ headByteCount: Int, _ body: DetailBody) -> String {
        let head = "head \(Quantity.bytes(Int64(headByteCount)))"
        let facts = body.facts
        var text = "\(head), body \(Quantity.bytes(facts.passedByteCount))"
        if let coding = facts.contentEncoding {
            let extent = body.source.extent
            let more = extent.isComplete ? "" : "+"
            text += ", \(coding) → \(Quantity.bytes(Int64(extent.byteCount)))\(more)"
        }
        if facts.keptByteCount < facts.passedByteCount {
            text += ", kept \(Quantity.bytes(facts.keptByteCount))"
        }
        return text
    }

    // MARK: Pieces

    private func date(_ nanoseconds: Int64) -> String {
        "\(clock.date(nanoseconds)) \(clock.precise(nanoseconds))"
    }

    private func heading(_ text: String) -> [StyledText] {
        [StyledText(), StyledText(text, .heading)]
    }

    private func label(_ text: String) -> StyledText {
        let width = OverviewLines.labelColumnCount
        var line = StyledText(
            text + String(repeating: " ", count: max(1, width - text.count)), .dim)
        line.indent = width - 2
        return line
    }

    private func pair(_ name: String, _ value: String, _ style: Style = .plain) -> StyledText {
        var line = label(name)
        line.append(value, style)
        return line
    }
}
