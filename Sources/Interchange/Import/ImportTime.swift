internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Parses the start times of exchanges as programs write them.
enum ImportTime {
    /// Seconds, milliseconds, microseconds and nanoseconds since 1970, up to the year 2255, and how
    /// many of each make a microsecond. The finer units start in 1973.
    private static let units: [(range: Range<Double>, perMicrosecond: Double)] = [
        (1.0..<9e9, 1e-6), (1e11..<9e12, 1e-3), (1e14..<9e15, 1), (1e17..<9e18, 1e3),
    ]
    private static let zoneNames: Set<String> = ["GMT", "UTC", "UT", "Z"]

    /// Parses a time as RFC 3339, HTTP or JavaScript write it, or a number since 1970. The result
    /// is in nanoseconds since 1970; nil for anything else, such as the year 1 that .NET writes for
    /// no time.
    static func nanoseconds(_ value: JSONValue) -> Int64? {
        guard let written = value.text else { return value.number.flatMap(nanoseconds(since1970:)) }
        let words = written.split { $0 == " " || $0.isNewline }
        let text = words.joined(separator: " ")
        return RFC3339.nanoseconds(text) ?? Double(text).flatMap(nanoseconds(since1970:))
            ?? nanoseconds(words)
    }

    private static func nanoseconds(since1970 number: Double) -> Int64? {
        let unit = units.first { $0.range.contains(number) }
        return unit.map { Nanoseconds.clamping(microseconds: Int64(number / $0.perMicrosecond)) }
    }

    /// Parses a date followed by its zone: `2024-05-01 10:00:00 +0200`, `Wed May 01 2024 10:00:00
    /// GMT+0200 (CEST)`. Named zones are not supported.
    private static func nanoseconds(_ words: [Substring]) -> Int64? {
        var words = words
        if words.last?.hasSuffix(")") == true,
            let start = words.lastIndex(where: { $0.hasPrefix("(") })
        {
            words.removeSubrange(start...)
        }
        var offset: Int64 = 0
        if let last = words.last, let found = zone(last) {
            offset = found
            words.removeLast()
        }
        let text = words.joined(separator: " ")
        guard text.utf8.last.map({ 0x30...0x39 ~= $0 }) == true else { return nil }
        let local =
            RFC3339.nanoseconds(text) ?? CookieDateReader.nanosecondsSinceEpoch(Array(text.utf8))
        guard let local else { return nil }
        let (moment, overflows) = local.subtractingReportingOverflow(offset)
        return overflows ? nil : moment
    }

    /// How far a zone is ahead of UTC, in nanoseconds: `GMT`, `+0200`, `GMT+02:00`; otherwise nil.
    private static func zone(_ word: Substring) -> Int64? {
        if zoneNames.contains(word.uppercased()) { return 0 }
        let name = word.prefix { $0.isLetter }
        let digits = word.dropFirst(name.count + 1).filter { $0 != ":" }
        guard name.isEmpty || zoneNames.contains(name.uppercased()),
            let sign = word.dropFirst(name.count).first, sign == "+" || sign == "-",
            digits.utf8.count == 4, let number = Int64(digits), 0...1_400 ~= number,
            number % 100 < 60
        else { return nil }
        let minutes = number / 100 * 60 + number % 100
        return (sign == "-" ? -minutes : minutes) * 60 * 1_000_000_000
    }
}

/// Builds a timeline from consecutive phases, all in nanoseconds; nil for unknown ones.
struct ImportTimeline {
    let wallStart: Int64
    var blocked: Int64?
    var dns: Int64?
    /// The TCP connect alone, without TLS.
    var connect: Int64?
    var tls: Int64?
    var send: Int64?
    var wait: Int64?
    var receive: Int64?
    var total: Int64?
    var isReused = false

    /// `hasResponse` says whether it includes the response.
    func timeline(hasResponse: Bool) -> Timeline {
        var timeline = Timeline(wallStart: wallStart, start: 0)
        timeline.connectionReused = isReused
        for moment in [Moment.requestFirstByte, .requestHead, .requestLastByte] {
            timeline[moment] = 0
        }
        var now = blocked ?? 0
        func pass(_ duration: Int64?, _ from: Moment, _ to: Moment) {
            guard let duration else { return }
            timeline[from] = now
            now = now &+ duration
            timeline[to] = now
        }
        pass(dns, .dnsStart, .dnsEnd)
        pass(connect, .connectStart, .connectEnd)
        pass(tls, .tlsStart, .tlsEnd)
        pass(send, .sendStart, .sendEnd)
        if hasResponse {
            now = now &+ (wait ?? 0)
            timeline[.responseFirstByte] = now
            timeline[.responseHead] = now
            now = now &+ (receive ?? 0)
            timeline[.responseLastByte] = now
        }
        timeline[hasResponse ? .delivered : .ended] = max(now, total ?? 0)
        return timeline
    }
}
