internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The lines of a tab before the body, or all lines if there is no body.
struct DetailContents {
    let subject: DetailSubject
    let tally: MessageTally
    let clock: WallTime

    func lines(_ tab: DetailTab) -> [StyledText] {
        switch tab {
        case .overview: OverviewLines(subject: subject, tally: tally, clock: clock).lines()
        case .request: requestLines()
        case .response: responseLines()
        case .cookies: CookieLines(exchange: subject.exchange).lines()
        case .timeline:
            timelineLines(subject.exchange)
        case .security:
            SecurityLines.lines(
                subject.certificates, subject.tokens, clock, now: subject.readAt)
        case .raw, .hex, .messages, .changes: []
        }
    }

    private func timelineLines(_ exchange: Exchange) -> [StyledText] {
        let timeline = TimelineLines(exchange.timeline, holds: exchange.holds)
        let bars = timeline.bars(TimelinePhase.server)
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
        lines += sentLines(request)
        lines += queryLines(request)
        lines += HeadLines.trailers(request.trailers)
        return lines + anotherBody(request.sentBody) + bodyLines(subject.request)
    }

    /// The request head as forwarded, if it differs.
    private func sentLines(_ request: Request) -> [StyledText] {
        guard let head = request.sentHead else { return [] }
        return [
            StyledText(), StyledText("sent to the server instead", .heading),
            StyledText(head.startLineText, .plain),
        ] + HeadLines.fields(head.allFields)
    }

    /// The response head that the client received, if it differs.
    private func sentLines(_ response: Response) -> [StyledText] {
        guard let head = response.sentHead else { return [] }
        return [
            StyledText(), StyledText("sent to the client instead", .heading),
            StyledText(head.statusLineText, .plain),
        ] + HeadLines.fields(head.allFields)
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
        lines += sentLines(response)
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

    /// Facts about the body and how it was decoded.
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
