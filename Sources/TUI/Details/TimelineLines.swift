internal import ProxydInterchange
internal import ProxydHTTPModel
internal import ProxydTerminalText

/// The moments of an exchange, and its phases as bars at their places in the whole.
struct TimelineLines {
    struct Phase: Sendable {
        let name: String
        let start: Moment
        let end: Moment
        let role: Style.Role

        /// How long it took; nil where it did not come, or not to its end.
        func duration(_ timeline: Timeline) -> Int64? {
            guard let first = timeline[start], let last = timeline[end], last >= first else {
                return nil
            }
            let (duration, isOver) = last.subtractingReportingOverflow(first)
            return isOver ? .max : duration
        }
    }

    static let phases = [
        Phase(name: "dns", start: .dnsStart, end: .dnsEnd, role: .dns),
        Phase(name: "connect", start: .connectStart, end: .connectEnd, role: .connect),
        Phase(name: "tls", start: .tlsStart, end: .tlsEnd, role: .tls),
        Phase(name: "send", start: .sendStart, end: .sendEnd, role: .send),
        Phase(name: "wait", start: .sendEnd, end: .responseFirstByte, role: .wait),
        Phase(name: "receive", start: .responseFirstByte, end: .responseLastByte, role: .receive),
    ]

    private static let barColumnCount = 40

    let timeline: Timeline
    /// Frames of HTTP/2, as `FrameTimeline` has them.
    var frames: [UInt8] = []
    let clock: WallTime

    func lines() -> [ViewerLine] {
        let total = max(1, timeline.totalDuration ?? 1)
        var lines = TimelineLines.phases.compactMap { bar($0, total) }
        if !lines.isEmpty { lines.append(ViewerLine()) }
        let came = Moment.allCases.compactMap { moment in
            timeline[moment].map { (moment: moment, offset: $0) }
        }
        // Moments at the same time stay in their usual order.
        for (moment, offset) in came.sorted(by: { $0.offset < $1.offset }) {
            var line = ViewerLine(padded("+" + Quantity.duration(offset), 12), .number)
            line.append(clock.precise(timeline.wallStart &+ offset) + "  ", .dim)
            line.append(TimelineLines.name(moment), .plain)
            lines.append(line)
        }
        if timeline.connectionReused {
            lines.append(ViewerLine("the connection to the server was used before", .dim))
        }
        return lines + frameLines()
    }

    private func frameLines() -> [ViewerLine] {
        let records = FrameText.inOrder(frames)
        guard !records.isEmpty else { return [] }
        return [ViewerLine(), ViewerLine("frames", .dim)]
            + records.map { frame in
                let offset = FrameText.timeNs(frame)
                var line = ViewerLine(padded("+" + Quantity.duration(offset), 12), .number)
                line.append(padded(FrameText.way(frame), 17), .dim)
                line.append(FrameText.text(frame), .plain)
                return line
            }
    }

    private func bar(_ phase: Phase, _ total: Int64) -> ViewerLine? {
        guard let start = timeline[phase.start], let duration = phase.duration(timeline) else {
            return nil
        }
        let first = min(column(start, total), TimelineLines.barColumnCount - 1)
        let last = max(first + 1, column(start &+ duration, total))
        var line = ViewerLine(padded(phase.name, 9), .dim)
        line.append(padded(Quantity.duration(duration), 10), .number)
        line.append(String(repeating: " ", count: first), .plain)
        line.append(String(repeating: "█", count: last - first), phase.role)
        return line
    }

    private func column(_ offset: Int64, _ total: Int64) -> Int {
        let share = min(1, max(0, Double(offset) / Double(total)))
        return Int((share * Double(TimelineLines.barColumnCount)).rounded(.down))
    }

    private func padded(_ text: String, _ count: Int) -> String {
        text + String(repeating: " ", count: max(1, count - text.count))
    }

    private static func name(_ moment: Moment) -> String {
        switch moment {
        case .clientConnected: "the client connected"
        case .clientTLSDone: "TLS with the client stood"
        case .requestFirstByte: "first octet of the request"
        case .requestHead: "the request's head was complete"
        case .requestLastByte: "last octet of the request"
        case .dnsStart: "the look-up of the name began"
        case .dnsEnd: "the look-up ended"
        case .connectStart: "connecting to the server began"
        case .connectEnd: "the connection to the server stood"
        case .tlsStart: "TLS with the server began"
        case .tlsEnd: "TLS with the server stood"
        case .sendStart: "first octet was sent to the server"
        case .sendEnd: "last octet was sent to the server"
        case .responseFirstByte: "first octet of the response"
        case .responseHead: "the response's head was complete"
        case .responseLastByte: "last octet of the response"
        case .delivered: "last octet was handed to the client"
        case .ended: "the exchange was over"
        }
    }
}
