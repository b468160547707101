internal import ProxydHTTPModel

/// `Timeline` in the format of the control socket: one offset for each moment, in the moments'
/// order.
struct TimelineMessage: Sendable, Hashable, Codable {
    var wallStart: Int64
    var start: Int64
    var connectionReused: Bool
    var offsets: [Int64?]

    init(_ timeline: Timeline) {
        wallStart = timeline.wallStart
        start = timeline.start
        connectionReused = timeline.connectionReused
        offsets = Moment.allCases.map { timeline[$0] }
    }

    func timeline() throws(ControlError) -> Timeline {
        guard offsets.count <= Moment.allCases.count else {
            throw ControlError(.badMessage, "an imported timeline has more moments than there are")
        }
        var timeline = Timeline(wallStart: wallStart, start: start)
        timeline.connectionReused = connectionReused
        for (moment, offset) in zip(Moment.allCases, offsets) { timeline[moment] = offset }
        return timeline
    }
}
