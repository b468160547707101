extension Timeline: CustomStringConvertible {
    /// The durations of the phases that occurred, and of the whole exchange, in seconds.
    public var description: String {
        let phases: [(String, Int64?)] = [
            ("DNS", dns), ("Connect", connect), ("TLS", tls), ("Send", send), ("Wait", wait),
            ("Receive", receive), ("Total Duration", totalDuration),
        ]
        return Timeline.text(
            of: phases.compactMap { name, nanoseconds in
                nanoseconds.map { (name, "\(Timeline.seconds($0)) secs") }
            })
    }

    /// Formats a duration as seconds with three decimals, rounded.
    public static func seconds(_ nanoseconds: Int64) -> String {
        let (rounded, isTooLarge) = nanoseconds.magnitude.addingReportingOverflow(500_000)
        let milliseconds = (isTooLarge ? nanoseconds.magnitude : rounded) / 1_000_000
        let rest = String(milliseconds % 1_000)
        let sign = nanoseconds < 0 && milliseconds > 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 3 - rest.count)
        return "\(sign)\(milliseconds / 1_000).\(zeros)\(rest)"
    }

    /// Formats names and values as Alamofire 4 does.
    public static func text(of values: [(name: String, value: String)]) -> String {
        let shown = values.map { "\"\($0.name)\": \($0.value)" }
        return "Timeline: { \(shown.joined(separator: ", ")) }"
    }
}
