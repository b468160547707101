internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydTerminalText

/// The lines of a tab that stand in front of a body, or are all there is.
struct DetailContents {
    let subject: DetailSubject
    let tally: MessageTally
    let clock: WallTime

    func lines(_ tab: DetailTab) -> [ViewerLine] {
        switch tab {
        case .overview: OverviewLines(subject: subject, tally: tally, clock: clock).lines()
        case .request: requestLines()
        case .response: responseLines()
        case .cookies: CookieLines(exchange: subject.exchange).lines()
        case .timeline:
            TimelineLines(
                timeline: subject.exchange.timeline, frames: subject.exchange.frames, clock: clock
            ).lines()
        case .raw, .hex, .messages, .changes: []
        }
    }

    // MARK: Messages

    private func requestLines() -> [ViewerLine] {
        let request = subject.exchange.request
        var lines: [ViewerLine] = []
        if let head = request.head {
            var first = ViewerLine(head.method.rawValue, .accent)
            first.append(" \(head.targetText) ", .plain)
            first.append("\(head.version)", .dim)
            lines.append(first)
            lines += DetailContents.fields(head.allFields)
        } else if let octets = subject.requestHead {
            lines.append(ViewerLine("the head could not be read:", .bad))
            lines += DetailContents.octetLines(octets)
        }
        lines += sentLines(request)
        lines += queryLines(request)
        lines += DetailContents.trailers(request.trailers)
        return lines + anotherBody(request.sentBody) + bodyLines(subject.request)
    }

    /// The head that went to the server, where it is another one.
    private func sentLines(_ request: Request) -> [ViewerLine] {
        guard let head = request.sentHead else { return [] }
        return [
            ViewerLine(), ViewerLine("sent to the server instead", .heading),
            ViewerLine(head.startLineText, .plain),
        ] + DetailContents.fields(head.allFields)
    }

    /// The head that the client got, where it is another one.
    private func sentLines(_ response: Response) -> [ViewerLine] {
        guard let head = response.sentHead else { return [] }
        return [
            ViewerLine(), ViewerLine("sent to the client instead", .heading),
            ViewerLine(head.statusLineText, .plain),
        ] + DetailContents.fields(head.allFields)
    }

    private func queryLines(_ request: Request) -> [ViewerLine] {
        guard let query = request.url?.query, !query.isEmpty else { return [] }
        let decoder = QueryDecoder(text: OctetText { Charset.text($0, label: $1) })
        var lines = [ViewerLine(), ViewerLine("query", .heading)]
        for pair in query.split(separator: UInt8(ascii: "&")).prefix(1_000) {
            lines.append(FormViewer.line(Array(pair), decoder).indented(by: 2))
        }
        return lines
    }

    private func responseLines() -> [ViewerLine] {
        guard let response = subject.exchange.response else {
            let reason = subject.row.error.map { ": \($0)" } ?? ""
            return [ViewerLine("there is no response\(reason)", .dim)]
                + FaultLines(fault: subject.exchange.responseFault).lines()
        }
        var lines: [ViewerLine] = []
        for head in subject.exchange.informational + [response.head] {
            var first = ViewerLine("\(head.version) ", .dim)
            first.append("\(head.status)", DetailContents.role(ofStatus: head.status))
            first.append(" \(head.reason)", .plain)
            lines.append(first)
            lines += DetailContents.fields(head.allFields)
        }
        lines += sentLines(response)
        lines += DetailContents.trailers(response.trailers)
        lines += FaultLines(fault: subject.exchange.responseFault).lines()
        return lines + anotherBody(response.sentBody) + responseBodyLines()
    }

    private func responseBodyLines() -> [ViewerLine] {
        guard let cut = subject.exchange.cutBodyText else { return bodyLines(subject.response) }
        return [ViewerLine(), ViewerLine(cut, .bad)] + bodyLines(subject.response)
    }

    /// Says that another body went on than the one below.
    private func anotherBody(_ sent: Body?) -> [ViewerLine] {
        guard sent != nil else { return [] }
        return [
            ViewerLine(), ViewerLine("another body went on: see the tab Changes", .notice),
        ]
    }

    /// What the body is and what was done to read it.
    private func bodyLines(_ body: DetailBody) -> [ViewerLine] {
        let facts = body.facts
        guard facts.passedByteCount > 0 || facts.keptByteCount > 0 else {
            return [ViewerLine(), ViewerLine("no body", .dim)]
        }
        var line = ViewerLine(isRelayed(facts) ? "relayed" : "body", .heading)
        let summary =
            isRelayed(facts)
            ? Quantity.bytes(facts.passedByteCount) : facts.summary(body.source.extent)
        line.append("  \(summary)", .dim)
        if subject.row.state == .active { line.append("  still coming", .notice) }
        return [ViewerLine(), line, ViewerLine()]
    }

    /// Whether it is what a connection carried after its protocol had changed: no body of HTTP.
    private func isRelayed(_ facts: BodyFacts) -> Bool {
        facts.keptByteCount == 0 && subject.row.isRelayed
    }

    // MARK: Pieces

    static func fields(_ fields: HeaderFields) -> [ViewerLine] {
        fields.lines.map { field in
            var line = ViewerLine(fields.name(of: field), .key)
            line.append(": ", .punctuation)
            line.append(fields.value(of: field), .plain)
            if field.coding.isNeverIndexed { line.append("  never indexed", .dim) }
            line.indent = 2
            return line
        }
    }

    static func trailers(_ trailers: HeaderFields?) -> [ViewerLine] {
        guard let trailers, !trailers.isEmpty else { return [] }
        return [ViewerLine(), ViewerLine("trailers", .heading)] + fields(trailers)
    }

    /// Octets that should be lines of text.
    static func octetLines(_ octets: [UInt8]) -> [ViewerLine] {
        octets.prefix(64 << 10).split(separator: 0x0A, omittingEmptySubsequences: false).map {
            var line = ViewerLine()
            line.append($0.last == 0x0D ? $0.dropLast() : $0)
            return line
        }
    }

    static func role(ofStatus status: Int) -> Style.Role {
        switch status {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        default: .serverError
        }
    }
}
