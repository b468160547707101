internal import ProxydCaptureModel

/// The time when a message was complete, relative to the start of its exchange.
enum MessageTime {
    /// Seconds with milliseconds, so that times align in a column: `0.040`, `3600.000`.
    static func text(_ message: MessageRow, startedAtNs: Int64) -> String {
        let offset = message.atNs.subtractingReportingOverflow(startedAtNs).partialValue
        let milliseconds = offset.magnitude / 1_000_000
        let fraction = String(milliseconds % 1_000)
        let padding = String(repeating: "0", count: max(0, 3 - fraction.count))
        let sign = offset < 0 && milliseconds > 0 ? "-" : ""
        return "\(sign)\(milliseconds / 1_000).\(padding)\(fraction)"
    }
}
