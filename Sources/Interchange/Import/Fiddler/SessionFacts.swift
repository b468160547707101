internal import ProxydCivilTime
internal import ProxydHTTPModel

/// Fiddler's information about a session: `SessionTimers` with instants and durations, and
/// `SessionFlag` elements. Only their attributes are read, so entities, namespaces and nesting do
/// not matter.
struct SessionFacts {
    /// The maximum size of the XML in bytes.
    static let byteCountMax = 1 << 20

    private var timers: [String: String] = [:]
    private var flags: [String: String] = [:]

    init(_ bytes: [UInt8]) {
        let text = Array(bytes)
        var index = 0
        while let tag = SessionFacts.nextTag(text, &index) {
            let attributes = SessionFacts.attributes(tag)
            if tag.starts(with: "SessionTimers".utf8) {
                timers.merge(attributes) { first, _ in first }
            } else if tag.prefix(while: { $0 > 0x20 }).elementsEqual("SessionFlag".utf8),
                let name = attributes["N"]
            {
                flags[name.lowercased()] = attributes["V"] ?? ""
            }
        }
    }

    /// A flag; nil if it is missing or empty.
    func flag(_ name: String) -> String? { flags[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Nanoseconds since 1970; nil if it did not occur, which Fiddler writes as the year 1.
    func moment(_ name: String) -> Int64? {
        timers[name].flatMap { RFC3339.nanoseconds($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Nanoseconds; nil if missing or 0, which means that the phase did not occur.
    func duration(_ name: String) -> Int64? {
        timers[name].flatMap { Int64($0) }
            .flatMap {
                (1..<1_000_000_000).contains($0) ? Nanoseconds.clamping(milliseconds: $0) : nil
            }
    }

    // MARK: Tags

    private static func nextTag(_ text: [UInt8], _ index: inout Int) -> ArraySlice<UInt8>? {
        guard let start = text[index...].firstIndex(of: UInt8(ascii: "<")) else { return nil }
        var end = start + 1
        var quote: UInt8?
        while end < text.count {
            let byte = text[end]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            end += 1
        }
        guard end < text.count else { return nil }
        index = end + 1
        return text[(start + 1)..<end]
    }

    private static func attributes(_ tag: ArraySlice<UInt8>) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = tag
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest[..<equals].reversed().drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
                .reversed()
            rest = rest[(equals + 1)...].drop { $0 <= 0x20 }
            guard let quote = rest.popFirst(), let end = rest.firstIndex(of: quote) else { break }
            attributes[String(decoding: Array(name), as: UTF8.self)] = unescaped(rest[..<end])
            rest = rest[(end + 1)...]
        }
        return attributes
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("&") else { return text }
        var plain = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            plain += rest[..<mark]
            rest = rest[mark...]
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = character(rest[rest.index(after: mark)..<end])
            else {
                plain.append("&")
                rest = rest.dropFirst()
                continue
            }
            plain.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return plain + rest
    }

    private static func character(_ name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
            let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}

/// When a session of Fiddler happened, and between whom.
enum SessionTimes {
    static func timeline(_ facts: SessionFacts, hasResponse: Bool) -> Timeline {
        let start = facts.moment("ClientBeginRequest") ?? facts.moment("ClientConnected") ?? 0
        var timeline = Timeline(wallStart: start, start: 0)
        guard start > 0 else { return timeline }
        func set(_ moment: Moment, _ name: String) {
            guard let at = facts.moment(name), at >= start else { return }
            timeline[moment] = at - start
        }
        set(.requestFirstByte, "ClientBeginRequest")
        set(.requestHead, "GotRequestHeaders")
        set(.requestLastByte, "ClientDoneRequest")
        set(.sendStart, "FiddlerBeginRequest")
        set(.sendEnd, "ServerGotRequest")
        if hasResponse {
            set(.responseFirstByte, "ServerBeginResponse")
            set(.responseHead, "GotResponseHeaders")
            set(.responseLastByte, "ServerDoneResponse")
        }
        set(hasResponse ? .delivered : .ended, "ClientDoneResponse")
        if let connected = facts.moment("ServerConnected") {
            timeline.connectionReused = connected < start
            if connected >= start { connect(&timeline, facts, connected - start) }
        }
        return timeline
    }

    /// Fiddler records how long the phases took, and one end: that of connecting if TLS fits
    /// between it and the request, otherwise that of TLS.
    private static func connect(
        _ timeline: inout Timeline, _ facts: SessionFacts, _ connected: Int64
    ) {
        let tls = facts.duration("HTTPSHandshakeTime")
        var end = connected
        if let tls {
            let isAfter = timeline[.sendStart].map { connected + tls <= $0 } ?? true
            let tlsEnd = isAfter ? connected + tls : connected
            guard tlsEnd >= tls else { return }
            timeline[.tlsEnd] = tlsEnd
            timeline[.tlsStart] = tlsEnd - tls
            end = tlsEnd - tls
        }
        if let connect = facts.duration("TCPConnectTime"), end >= connect {
            timeline[.connectEnd] = end
            timeline[.connectStart] = end - connect
            end -= connect
        }
        if let dns = facts.duration("DNSTime"), end >= dns {
            timeline[.dnsEnd] = end
            timeline[.dnsStart] = end - dns
        }
    }

    static func client(_ facts: SessionFacts) -> ConnectionRecord? {
        guard let address = address(facts.flag("x-clientip"), facts.flag("x-clientport")) else {
            return nil
        }
        var record = ImportDetails.connection(
            .client, to: address, at: facts.moment("ClientConnected") ?? 0)
        // curl:4711
        let words = facts.flag("x-processinfo")?.split(separator: ":") ?? []
        if words.count == 2, let pid = Int32(words[1]) {
            record.process = .init(pid: pid, name: String(words[0]))
        }
        return record
    }

    static func server(_ facts: SessionFacts, port: UInt16) -> ConnectionRecord? {
        guard let address = address(facts.flag("x-hostip"), "\(port)") else { return nil }
        return ImportDetails.connection(
            .server, to: address, at: facts.moment("ServerConnected") ?? 0)
    }

    private static func address(_ host: String?, _ port: String?) -> String? {
        guard var host else { return nil }
        if host.hasPrefix("::ffff:") { host = String(host.dropFirst(7)) }
        let characters = host.utf8.allSatisfy {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
                || Character(Unicode.Scalar($0)).isHexDigit
        }
        guard !host.isEmpty, characters else { return nil }
        let shown = host.contains(":") ? "[\(host)]" : host
        return port.flatMap { UInt16($0) }.map { "\(shown):\($0)" } ?? shown
    }
}
