internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation

/// The lines of a tab before the body, or all lines if there is no body.
struct DetailContents {
    let subject: DetailSubject
    let tally: MessageTally
    let clock: WallTime

    /// The width of bars with their labels: that of half of 120 columns, where a replay is beside
    /// its original.
    static let columnCount = (ComparisonScreen.wideColumnCount - 1) / 2 - 2
    private static let barColumnCount = columnCount - 23

    func lines(_ tab: DetailTab) -> [StyledText] {
        switch tab {
        case .overview: OverviewLines(subject: subject, tally: tally, clock: clock).lines()
        case .request: requestLines()
        case .response: responseLines()
        case .cookies: CookieLines(exchange: subject.exchange).lines()
        case .timeline: timelineLines(subject.exchange)
        case .security:
            SecurityLines.lines(subject.certificates, subject.tokens, clock, now: subject.readAt)
        case .raw, .hex, .messages, .changes: []
        }
    }

    private func timelineLines(_ exchange: Exchange) -> [StyledText] {
        let timeline = TimelineLines(exchange.timeline, holds: exchange.holds)
        let bars = timeline.bars(
            TimelinePhase.server, columnCount: DetailContents.barColumnCount)
        var lines = bars + (bars.isEmpty ? [] : [StyledText()]) + timeline.moments(clock)
        if exchange.timeline.connectionReused {
            lines.append(StyledText("the connection to the server was reused", .dim))
        }
        let frames = TimelineLines.frames(exchange.frames)
        return lines + (frames.isEmpty ? [] : [StyledText(), StyledText("frames", .dim)] + frames)
    }

    // MARK: Messages

    private func requestLines() -> [StyledText] {
        let request = subject.exchange.request
        var lines: [StyledText] = []
        if let head = request.head {
            var first = StyledText(head.method.rawValue, .accent)
            first.append(" \(head.targetText) ", .plain)
            first.append("\(head.version)", .dim)
            lines.append(first)
            lines += HeadLines.fields(head.allFields)
        } else if let bytes = subject.requestHead {
            lines.append(StyledText("the head could not be read:", .bad))
            lines += HeadLines.lines(ofBytes: bytes)
        }
        if let sent = request.sentHead {
            lines += sentLines(to: "server", sent.startLineText, sent.allFields)
        }
        lines += queryLines(request)
        lines += HeadLines.trailers(request.trailers)
        return lines + anotherBody(request.sentBody) + bodyLines(subject.request)
    }

    /// The head that was forwarded instead of the received one.
    private func sentLines(
        to receiver: String, _ startLine: String, _ fields: HeaderFields
    ) -> [StyledText] {
        [
            StyledText(), StyledText("sent to the \(receiver) instead", .heading),
            StyledText(startLine, .plain),
        ] + HeadLines.fields(fields)
    }

    private func queryLines(_ request: Request) -> [StyledText] {
        guard let query = request.url?.query, !query.isEmpty else { return [] }
        let decoder = QueryDecoder()
        var lines = [StyledText(), StyledText("query", .heading)]
        for pair in query.split(separator: UInt8(ascii: "&")).prefix(1_000) {
            lines.append(PairLine.line(Array(pair), decoder).indented(by: 2))
        }
        return lines
    }

    private func responseLines() -> [StyledText] {
        guard let response = subject.exchange.response else {
            let reason = subject.row.error.map { ": \($0)" } ?? ""
            return [StyledText("there is no response\(reason)", .dim)]
                + FaultLines(fault: subject.exchange.responseFault).lines()
        }
        var lines: [StyledText] = []
        for head in subject.exchange.informational + [response.head] {
            var first = StyledText("\(head.version) ", .dim)
            first.append("\(head.status)", Style(.ofStatus(head.status)))
            first.append(" \(head.reason)", .plain)
            lines.append(first)
            lines += HeadLines.fields(head.allFields)
        }
        if let sent = response.sentHead {
            lines += sentLines(to: "client", sent.statusLineText, sent.allFields)
        }
        lines += HeadLines.trailers(response.trailers)
        lines += FaultLines(fault: subject.exchange.responseFault).lines()
        return lines + anotherBody(response.sentBody) + responseBodyLines()
    }

    private func responseBodyLines() -> [StyledText] {
        guard let cut = subject.exchange.cutBodyText else { return bodyLines(subject.response) }
        return [StyledText(), StyledText(cut, .bad)] + bodyLines(subject.response)
    }

    /// Says that the forwarded body differs from the one below.
    private func anotherBody(_ sent: Body?) -> [StyledText] {
        guard sent != nil else { return [] }
        return [
            StyledText(), StyledText("a different body was sent: see the tab Changes", .notice),
        ]
    }

    private func bodyLines(_ body: DetailBody) -> [StyledText] {
        let facts = body.facts
        guard facts.passedByteCount > 0 || facts.keptByteCount > 0 else {
            return [StyledText(), StyledText("no body", .dim)]
        }
        var line = StyledText(isRelayed(facts) ? "relayed" : "body", .heading)
        let summary =
            isRelayed(facts)
            ? Quantity.bytes(facts.passedByteCount) : facts.summary(body.source.extent)
        line.append("  \(summary)", .dim)
        if subject.row.state == .active { line.append("  still arriving", .notice) }
        return [StyledText(), line, StyledText()]
    }

    /// Whether it is data sent after the connection switched protocols, and not an HTTP body.
    private func isRelayed(_ facts: BodyFacts) -> Bool {
        facts.keptByteCount == 0 && subject.row.isRelayed
    }
}

struct OverviewLines {
    let subject: DetailSubject
    let tally: MessageTally
    let clock: WallTime

    private static let barColumnCount = DetailContents.columnCount - Fact.label("").columnCount

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
        if let held = row.heldNs { lines.append(pair("held", Quantity.duration(held) + " more")) }
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
        // Every phase has a column.
        let room = OverviewLines.barColumnCount - phases.count
        var bar = Fact.label("phases")
        var legend = [Fact.label("")]
        for (phase, duration) in phases {
            let share = min(1, Double(duration) / Double(total))
            let width = 1 + Int(share * Double(room))
            bar.append(String(repeating: "█", count: width), Style(phase.role))
            let words =
                StyledText("\(phase.name) ", Style(phase.role))
                + StyledText("\(Quantity.duration(duration))  ")
            let line = legend.removeLast()
            let isFull = line.columnCount + words.columnCount > DetailContents.columnCount
            legend += isFull ? [line, Fact.label("") + words] : [line + words]
        }
        return [bar] + legend
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
        let total = Int64(heads.0 + heads.1).addingClamped(max(0, row.requestBodyByteCount))
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

/// The cookies that were sent, and those that were set, with their attributes.
struct CookieLines {
    let exchange: Exchange

    func lines() -> [StyledText] {
        var lines = [StyledText("request", .heading)]
        let sent = exchange.request.head?.fields.values(named: "Cookie") ?? []
        let pairs = sent.flatMap { $0.split(separator: ";") }
        lines += pairs.map { CookieLines.line($0) }
        if pairs.isEmpty { lines.append(StyledText("  no cookies were sent", .dim)) }
        lines += [StyledText(), StyledText("response", .heading)]
        let set = exchange.response?.head.fields.values(named: "Set-Cookie") ?? []
        for cookie in set {
            // The first part is the cookie, the others are its attributes (RFC 6265 §5.2).
            let pieces = cookie.split(separator: ";", omittingEmptySubsequences: false)
            lines.append(CookieLines.line(pieces.first ?? ""))
            lines += pieces.dropFirst().map { CookieLines.attribute($0) }
        }
        if set.isEmpty { lines.append(StyledText("  no cookies were set", .dim)) }
        return lines
    }

    private static func line(_ piece: Substring) -> StyledText {
        let (name, value) = parts(piece)
        let line = StyledText(name, .key).indented(by: 2)
        return value.map { line + StyledText(" = ", .punctuation) + StyledText($0, .string) }
            ?? line
    }

    private static func attribute(_ piece: Substring) -> StyledText {
        let (name, value) = parts(piece)
        let line = StyledText(name, .attribute).indented(by: 6)
        return value.map { line + StyledText(" \($0)") } ?? line
    }

    private static func parts(_ piece: Substring) -> (String, String?) {
        guard let equals = piece.firstIndex(of: "=") else { return (trimmed(piece), nil) }
        return (trimmed(piece[..<equals]), trimmed(piece[piece.index(after: equals)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}

struct FaultLines {
    let fault: ResponseFault?

    /// What was repaired, then what was refused: the reason and the bytes.
    func lines() -> [StyledText] {
        guard let fault else { return [] }
        var lines: [StyledText] = []
        if !fault.repairs.isEmpty { lines.append(StyledText()) }
        lines += fault.repairs.map { StyledText("repaired: \($0)", .notice) }
        guard let refusal = fault.refusal else { return lines }
        lines += [StyledText(), StyledText("refused: \(refusal.reason)", .bad)]
        lines.append(StyledText("what came from the server:", .heading))
        return lines + HeadLines.lines(ofBytes: refusal.bytes).map { $0.indented(by: 2) }
    }
}
