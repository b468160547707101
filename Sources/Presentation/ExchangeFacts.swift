package import ProxydCaptureModel
internal import ProxydExchangeContent
package import ProxydHTTPModel
internal import ProxydParameterCoding

/// The facts about an exchange apart from its messages, in groups.
package struct ExchangeFacts {
    private let row: ExchangeRow
    private let exchange: Exchange

    package init(_ row: ExchangeRow, _ exchange: Exchange) {
        self.row = row
        self.exchange = exchange
    }

    /// The request and its result.
    package var outcome: [Fact] {
        var facts = [Fact("url", row.url ?? "unreadable URL", .accent)]
        facts.append(Fact("method", row.method ?? "-"))
        if let status = row.status {
            facts.append(Fact("status", "\(status) \(row.reason ?? "")", .ofStatus(status)))
        }
        facts.append(Fact("state", row.state.rawValue))
        return facts
    }

    /// The protocol, and the reason of a failure.
    package var course: [Fact] {
        var facts: [Fact] = []
        if let version { facts.append(Fact("protocol", version)) }
        if let error = row.error { facts.append(Fact("error", error, .bad)) }
        if let received = row.receivedStatus {
            facts.append(Fact("received", "\(received) from the server", .notice))
        }
        if let held = row.heldNs {
            facts.append(Fact("held", "\(Quantity.duration(held)), not counted", .notice))
        }
        return facts
    }

    /// What was wrong with the response.
    package var faults: [Fact] {
        var facts: [Fact] = []
        if let fault = exchange.responseFault {
            if let refusal = fault.refusal { facts.append(Fact("refused", refusal.reason, .bad)) }
            facts += fault.repairs.map { Fact("repaired", $0, .notice) }
        }
        if let cut = exchange.cutBodyText { facts.append(Fact("body", cut, .bad)) }
        return facts
    }

    /// Special properties of the exchange.
    package var traits: [Fact] {
        var facts: [Fact] = []
        if let http2 = exchange.http2 {
            facts.append(Fact("stream", http2.streamText))
            if let reset = http2.resetText { facts.append(Fact("reset", reset, .bad)) }
        }
        facts += row.graphQL.map { Fact("graphql", $0.description, .accent) }
        if !row.rules.isEmpty {
            facts.append(Fact("rules", row.rules.joined(separator: ", "), .accent))
        }
        if let name = row.upgradedTo { facts.append(Fact("upgraded to", name)) }
        if let name = row.replayOfText { facts.append(Fact("repeats", "#\(name)")) }
        return facts
    }

    /// The declared types of the bodies.
    package var types: [Fact] {
        var facts: [Fact] = []
        if let type = row.requestContentType { facts.append(Fact("request type", type)) }
        if let type = row.responseContentType { facts.append(Fact("type", type)) }
        return facts
    }

    /// The final status of a gRPC call; empty for other exchanges.
    package var grpcStatus: [Fact] {
        guard let line = GRPCStatusText.line(row, exchange) else { return [] }
        return [Fact("grpc status", line, row.grpcStatus == 0 ? .success : .bad)]
    }

    package var annotations: [Fact] {
        var facts: [Fact] = []
        if let note = row.note { facts.append(Fact("note", note, .notice)) }
        if !row.tags.isEmpty {
            facts.append(Fact("tags", row.tags.joined(separator: ", "), .notice))
        }
        if row.isPinned { facts.append(Fact("pinned", "yes", .notice)) }
        return facts
    }

    /// Both sides, and what was negotiated with each.
    package var connections: [Fact] {
        var facts: [Fact] = []
        if let client = exchange.client {
            facts.append(Fact("client", "\(client.peerAddress) → \(client.localAddress)"))
            facts += security(client.security) + settings(client.http2)
        }
        if let process = exchange.client?.process {
            facts.append(Fact("process", "\(process.name), pid \(process.pid)"))
        }
        facts += arrival
        if let server = exchange.server {
            facts.append(Fact("server", "\(server.localAddress) → \(server.peerAddress)"))
            facts += security(server.security) + settings(server.http2)
            if let upstream = server.upstream { facts.append(Fact("upstream", upstream)) }
            let isKept = exchange.timeline.connectionReused
            facts.append(Fact("connection", isKept ? "kept alive, used before" : "new"))
        }
        return facts
    }

    /// How the client connected, and as which user.
    private var arrival: [Fact] {
        var facts: [Fact] = []
        if let client = exchange.client, let arrival = client.arrival {
            let listener = ExchangeFacts.listener(arrival.listener, at: client.localAddress)
            facts.append(Fact("listener", "\(listener), mode \(arrival.mode.rawValue)"))
            if let address = arrival.originalAddress { facts.append(Fact("original to", address)) }
            if let peer = arrival.proxyProtocolPeer { facts.append(Fact("proxied for", peer)) }
        }
        if let user = exchange.user { facts.append(Fact("user", user)) }
        return facts
    }

    /// A listener without a name of its own, with the port that the system chose for port 0.
    private static func listener(_ name: String, at address: String) -> String {
        guard name.hasSuffix(":0"), let colon = address.lastIndex(of: ":") else { return name }
        return String(name.dropLast(2)) + String(address[colon...])
    }

    private var version: String? {
        guard let version = row.httpVersion else { return nil }
        guard let answered = exchange.response.map({ "\($0.head.version)" }), answered != version
        else { return version }
        return "\(version), answered \(answered)"
    }

    private func security(_ security: ConnectionRecord.Security?) -> [Fact] {
        guard let security else { return [] }
        let parts: [String?] = [
            security.version ?? "not intercepted", security.cipher,
            security.alpn.map { "ALPN \($0)" }, security.serverName.map { "SNI \($0)" },
            security.isResumed ? "resumed" : nil,
            security.peerCertificates.isEmpty
                ? nil : Quantity.count(security.peerCertificates.count, "certificate"),
        ]
        return [Fact("  tls", parts.compactMap { $0 }.joined(separator: "  "))] + request(security)
    }

    /// The server's request for a client certificate.
    private func request(_ security: ConnectionRecord.Security) -> [Fact] {
        guard let authorities = security.requestedAuthorities else { return [] }
        let accepted = authorities.isEmpty ? "any authority" : authorities.joined(separator: "; ")
        let outcome = security.showsClientCertificate ? "shown" : "asked for, none was given"
        return [Fact("  certificate", "\(outcome); accepted from: \(accepted)")]
    }

    private func settings(_ http2: HTTP2ConnectionFacts?) -> [Fact] {
        guard let http2 else { return [] }
        return [
            Fact("  settings", HTTP2ConnectionFacts.text(http2.peerSettings)),
            Fact("  ours", HTTP2ConnectionFacts.text(http2.ourSettings)),
        ]
    }
}

/// A named fact: a line of a report.
package struct Fact: Sendable, Hashable {
    /// The width of the name column, which also indents the continuation of a value.
    package static let labelColumnCount = 14

    /// The name in lower case; empty if the value continues the previous fact.
    package let name: String
    /// The value as raw text.
    package let value: String
    package let role: Style.Role

    package init(_ name: String, _ value: String, _ role: Style.Role = .plain) {
        self.name = name
        self.value = value
        self.role = role
    }

    /// The name and the value in two columns.
    package var line: StyledText {
        var line = Fact.label(name)
        line.append(value, Style(role))
        return line
    }

    /// The first column alone.
    package static func label(_ name: String) -> StyledText {
        let width = labelColumnCount
        var line = StyledText(
            name + String(repeating: " ", count: max(1, width - name.count)), .dim)
        line.indent = width - 2
        return line
    }
}
