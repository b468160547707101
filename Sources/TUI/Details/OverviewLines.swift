internal import ProxydPresentation
internal import ProxydInterchange
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// An overview of an exchange.
struct OverviewLines {
    let subject: DetailSubject
    let tally: MessageTally
    let clock: WallTime

    private static let barColumnCount = 48

    private var row: ExchangeRow { subject.row }
    private var exchange: Exchange { subject.exchange }

    func lines() -> [StyledText] {
        summary() + messages() + annotations() + parameters() + connections() + times() + sizes()
    }

    // MARK: Groups

    private var facts: ExchangeFacts { ExchangeFacts(row, exchange) }

    private func summary() -> [StyledText] {
        (facts.outcome + facts.course + facts.faults + facts.traits + facts.types).map(\.line)
    }

    /// The final status of a gRPC call, and totals of the messages.
    private func messages() -> [StyledText] {
        let sums = MessageSums(tally: tally, last: subject.lastMessage)
        return (facts.grpcStatus + sums.facts).map(\.line)
    }

    private func annotations() -> [StyledText] { facts.annotations.map(\.line) }

    private func parameters() -> [StyledText] {
        guard !subject.parameters.isEmpty else { return [] }
        var lines = heading("parameters")
        var source: ExtractedParameter.Source?
        for parameter in subject.parameters {
            let name = parameter.source == source ? "" : parameter.source.rawValue
            source = parameter.source
            var line = Fact.label(name)
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
        let lines = facts.connections.map(\.line)
        return lines.isEmpty ? [] : heading("connections") + lines
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
        if let held = row.heldNs {
            lines.append(pair("held", Quantity.duration(held) + " more"))
        }
        if let latency = timeline.latency {
            lines.append(pair("latency", Quantity.duration(latency)))
        }
        lines += bar(timeline)
        if let speed = speed(timeline) { lines.append(pair("speed", speed)) }
        return lines
    }

    /// All phases in one bar, each as wide as its share, with their durations.
    private func bar(_ timeline: Timeline) -> [StyledText] {
        let phases = TimelinePhase.server.compactMap { phase in
            phase.duration(timeline).map { (phase: phase, duration: $0) }
        }
        guard !phases.isEmpty else { return [] }
        let total = max(1, phases.reduce(Int64(0)) { $0.addingClamped($1.duration) })
        var bar = Fact.label("phases")
        var legend = Fact.label("")
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

    private func pair(_ name: String, _ value: String) -> StyledText { Fact(name, value).line }
}
