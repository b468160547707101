internal import ProxydHTTPModel

/// The Connection line of a forwarded head: only options that apply to the proxy's own connection.
struct ConnectionLine {
    var closes = false
    var upgrades = false
    var announcesTE = false
    /// Whether the next proxy is told how many have forwarded the request.
    var namesHops = false

    /// Whether no option is set, so that no line is needed.
    var isEmpty: Bool { !closes && !upgrades && !announcesTE && !namesHops }

    /// Whether a received line already contains exactly these options.
    func isSame(as line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        let value = fields.bytes.span.extracting(line.valueRange)
        guard !namesHops else { return false }
        return switch (closes, upgrades, announcesTE) {
        case (true, false, false): ASCII.equalsIgnoringCase(value, "close")
        case (false, true, false): ASCII.equalsIgnoringCase(value, "upgrade")
        case (false, false, true): ASCII.equalsIgnoringCase(value, "te")
        default: false
        }
    }

    /// Appends the options, separated by commas.
    func writeValue(into output: inout [UInt8]) {
        var isFirst = true
        func write(_ option: StaticString) {
            if !isFirst { output.append(", ") }
            isFirst = false
            output.append(option)
        }
        if closes { write("close") }
        if upgrades { write("Upgrade") }
        if announcesTE { write("TE") }
        if namesHops { write("Proxyd-Hops") }
    }
}
