internal import ProxydHTTPModel

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

    /// Fiddler has how long the phases took and when the last one ended, which is TLS if there is
    /// no time for it afterwards.
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
