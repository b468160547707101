extension Timeline: CustomStringConvertible {
    /// How long each phase took that there was, and the whole, in seconds.
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

    /// Seconds with three decimals, rounded.
    public static func seconds(_ nanoseconds: Int64) -> String {
        let (rounded, isTooLarge) = nanoseconds.magnitude.addingReportingOverflow(500_000)
        let milliseconds = (isTooLarge ? nanoseconds.magnitude : rounded) / 1_000_000
        let rest = String(milliseconds % 1_000)
        let sign = nanoseconds < 0 && milliseconds > 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 3 - rest.count)
        return "\(sign)\(milliseconds / 1_000).\(zeros)\(rest)"
    }

    /// Names and values as Alamofire 4 writes them.
    public static func text(of values: [(name: String, value: String)]) -> String {
        let shown = values.map { "\"\($0.name)\": \($0.value)" }
        return "Timeline: { \(shown.joined(separator: ", ")) }"
    }
}
