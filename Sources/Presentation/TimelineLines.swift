internal import ProxydExchangeContent
package import ProxydHTTPModel

/// The timeline of an exchange as lines; the caller chooses which parts to show.
package struct TimelineLines {
    private let timeline: Timeline
    private let holds: [AppliedRule.Hold]

    /// Creates the lines of a timeline, with the times in which messages were held.
    package init(_ timeline: Timeline, holds: [AppliedRule.Hold] = []) {
        self.timeline = timeline
        self.holds = holds
    }

    /// A line for each phase that ended: its name, its duration, and a bar at its position in the
    /// whole timeline, which is `columnCount` columns wide.
    package func bars(
        _ phases: [TimelinePhase] = TimelinePhase.all, columnCount: Int = 40
    ) -> [StyledText] {
        let bar = Bar(totalNs: max(1, timeline.totalDuration ?? 1), columnCount: columnCount)
        return phases.compactMap { phase in
            guard let start = timeline[phase.start], let duration = phase.duration(timeline)
            else { return nil }
            return bar.line(phase.name, from: start, duration, phase.role)
        } + holds.map { bar.line("held", from: $0.startNs, $0.durationNs, .notice) }
    }

    package var total: StyledText {
        var line = TimelineLines.label("total", timeline.totalDuration ?? 0)
        if !holds.isEmpty {
            let held = holds.reduce(0) { $0 &+ $1.durationNs }
            line.append("\(Quantity.duration(held)) of it held  ", .notice)
        }
        if timeline.connectionReused { line.append("connection reused", .dim) }
        return line
    }

    /// A line for each recorded moment, in chronological order, with its wall-clock time.
    package func moments(_ clock: WallTime) -> [StyledText] {
        let came = Moment.allCases.compactMap { moment in
            timeline[moment].map { (moment: moment, offset: $0) }
        }
        // Moments at the same time stay in their usual order.
        return came.sorted { $0.offset < $1.offset }.map { moment, offset in
            var line = TimelineLines.offset(offset)
            line.append(clock.precise(timeline.wallStart &+ offset) + "  ", .dim)
            line.append(TimelineLines.name(moment))
            return line
        }
    }

    /// A line for each HTTP/2 frame in chronological order; `FrameTimeline` encodes `frames`.
    package static func frames(_ frames: [UInt8]) -> [StyledText] {
        FrameText.inOrder(frames).map { frame in
            var line = offset(FrameText.timeNs(frame))
            line.append(padded(FrameText.way(frame), 17), .dim)
            line.append(FrameText.text(frame))
            return line
        }
    }

    // MARK: Pieces

    /// Times on an axis.
    private struct Bar {
        let totalNs: Int64
        let columnCount: Int

        init(totalNs: Int64, columnCount: Int) {
            self.totalNs = totalNs
            self.columnCount = max(1, columnCount)
        }

        func line(
            _ name: String, from start: Int64, _ duration: Int64, _ role: Style.Role
        ) -> StyledText {
            let first = min(column(start), columnCount - 1)
            let last = max(first + 1, column(start.addingClamped(duration)))
            var line = TimelineLines.label(name, duration)
            line.append(String(repeating: " ", count: first))
            line.append(String(repeating: "█", count: last - first), Style(role))
            return line
        }

        private func column(_ offset: Int64) -> Int {
            let share = min(1, max(0, Double(offset) / Double(totalNs)))
            return Int((share * Double(columnCount)).rounded(.down))
        }
    }

    private static func label(_ name: String, _ duration: Int64) -> StyledText {
        let text = Quantity.duration(duration)
        let padding = String(repeating: " ", count: max(0, 10 - text.count))
        return StyledText(padded(name, 9), .dim) + StyledText(padding + text + "  ", .number)
    }

    private static func offset(_ nanoseconds: Int64) -> StyledText {
        StyledText(padded("+" + Quantity.duration(nanoseconds), 12), .number)
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        text + String(repeating: " ", count: max(1, count - text.count))
    }

    private static func name(_ moment: Moment) -> String {
        switch moment {
        case .clientConnected: "the client connected"
        case .clientTLSDone: "TLS with the client established"
        case .requestFirstByte: "first byte of the request"
        case .requestHead: "the request's head was complete"
        case .requestLastByte: "last byte of the request"
        case .dnsStart: "name lookup started"
        case .dnsEnd: "name lookup ended"
        case .connectStart: "connecting to the server started"
        case .connectEnd: "connected to the server"
        case .tlsStart: "TLS with the server started"
        case .tlsEnd: "TLS with the server established"
        case .sendStart: "first byte sent to the server"
        case .sendEnd: "last byte sent to the server"
        case .responseFirstByte: "first byte of the response"
        case .responseHead: "the response's head was complete"
        case .responseLastByte: "last byte of the response"
        case .delivered: "last byte sent to the client"
        case .ended: "the exchange ended"
        }
    }
}

/// The part of an exchange between two moments of its timeline.
package struct TimelinePhase: Sendable {
    /// The name, one lower-case word, such as `dns` or `wait`.
    package let name: String
    package let start: Moment
    package let end: Moment
    /// The colour of the phase's bar.
    package let role: Style.Role

    /// The phases between proxy and server, in chronological order.
    package static let server = [
        TimelinePhase(name: "dns", start: .dnsStart, end: .dnsEnd, role: .dns),
        TimelinePhase(name: "connect", start: .connectStart, end: .connectEnd, role: .connect),
        TimelinePhase(name: "tls", start: .tlsStart, end: .tlsEnd, role: .tls),
        TimelinePhase(name: "send", start: .sendStart, end: .sendEnd, role: .send),
        TimelinePhase(name: "wait", start: .sendEnd, end: .responseFirstByte, role: .wait),
        TimelinePhase(
            name: "receive", start: .responseFirstByte, end: .responseLastByte, role: .receive),
    ]

    /// All phases; the first and the last are between client and proxy.
    package static let all =
        [
            TimelinePhase(
                name: "upload", start: .requestFirstByte, end: .requestLastByte, role: .dim)
        ] + server + [
            TimelinePhase(name: "deliver", start: .responseLastByte, end: .delivered, role: .dim)
        ]

    /// The duration in nanoseconds, or nil if the phase did not occur or did not end.
    package func duration(_ timeline: Timeline) -> Int64? {
        guard let first = timeline[start], let last = timeline[end], last >= first else {
            return nil
        }
        let (duration, isOver) = last.subtractingReportingOverflow(first)
        return isOver ? .max : duration
    }
}
