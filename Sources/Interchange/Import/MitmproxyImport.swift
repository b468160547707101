internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads flows of mitmproxy. Content is stored as it is, with its content coding; heads are
/// composed, because the file does not contain their bytes.
enum FlowImport {
    private static let versions: ClosedRange<Int64> = 18...21
    private static let messageGroupCount = 64

    static func read(_ bytes: [UInt8], _ take: (ImportedPart) throws -> Void) throws {
        let flow = try FlowValue(dictionary: bytes[...]).members()
        guard let version = flow["version"]?.integer, versions.contains(version) else {
            throw ImportProblem(
                "only flows of the format versions \(versions.lowerBound) to "
                    + "\(versions.upperBound) are read (mitmproxy 9 to 12); an up-to-date "
                    + "mitmproxy converts older ones with mitmdump -nr OLD -w NEW")
        }
        switch flow["type"]?.text {
        case "http"?: break
        case "tcp"?: return try take(.leftOut("TCP flow"))
        case "udp"?: return try take(.leftOut("UDP flow"))
        case "dns"?: return try take(.leftOut("DNS flow"))
        default: throw ImportProblem("its type is not known")
        }
        let imported = try ImportedExchange(exchange: try exchange(flow)).checked()
        guard let socket = flow["websocket"] else { return try take(.exchange(imported)) }
        let members = try socket.members()
        let startedAt = imported.exchange.timeline.wallStart
        // All are read before any is passed on: an exchange is stored with all of them or not at
        // all.
        try FlowMessages.forEach(in: members, startedAt) { _ in }
        try take(.exchange(imported))
        var group: [MessageRecord] = []
        try FlowMessages.forEach(in: members, startedAt) { message in
            group.append(message)
            guard group.count == messageGroupCount else { return }
            try take(.messages(group))
            group = []
        }
        if !group.isEmpty { try take(.messages(group)) }
    }

    private static func exchange(_ flow: FlowValue.Members) throws(ImportProblem) -> Exchange {
        guard let request = try flow["request"]?.members() else {
            throw ImportProblem("it has no request")
        }
        let response = try flow["response"]?.members()
        var marks = ImportMarks([.rebuiltHead])
        let time = request["timestamp_start"]?.nanoseconds
        if time == nil { marks.insert(.missingTime) }
        let startedAt = time ?? 0
        let sent = try self.request(request, &marks)
        let received = try response.map { response throws(ImportProblem) in
            try self.response(response, &marks)
        }
        let connections = try FlowConnections(flow)
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete, request: sent, response: received,
            timeline: connections.timeline(
                startedAt, request: request, response: response,
                error: try flow["error"]?.members()["timestamp"]?.nanoseconds))
        exchange.client = connections.client
        exchange.server = connections.server
        exchange.request.trailers = try trailers(request, &marks)
        exchange.response?.trailers = try response.flatMap { response throws(ImportProblem) in
            try trailers(response, &marks)
        }
        if flow["websocket"] != nil { exchange.upgradedTo = "websocket" }
        let message = try flow["error"]?.members()["msg"]?.text
        if message != nil || received == nil {
            exchange.state = .failed
            exchange.failure =
                message.map(ImportFault.failure)
                ?? ImportFault.notRecorded("no response was recorded")
        }
        annotate(&exchange, flow, marks)
        return exchange
    }

    private static func annotate(
        _ exchange: inout Exchange, _ flow: FlowValue.Members, _ marks: ImportMarks
    ) {
        if let comment = flow["comment"]?.text, !comment.isEmpty {
            exchange.annotations.note = comment
        }
        if let marked = flow["marked"], marked.bool ?? !(marked.text ?? "").isEmpty {
            exchange.annotations.tags.append("marked")
        }
        marks.apply(to: &exchange)
    }

    // MARK: Messages

    private static func request(
        _ value: FlowValue.Members, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Request {
        guard let method = value["method"]?.text, let host = value["host"]?.text,
            let port = value["port"]?.integer.flatMap({ UInt16(exactly: $0) })
        else { throw ImportProblem("its request has no method or server") }
        var fields = try fields(value["headers"], &marks)
        let version = value["http_version"]?.text
        let authority = value["authority"]?.text ?? ""
        let verb = HTTPMethod(rawValue: method)
        let url = try FlowURL.url(
            method: verb, scheme: value["scheme"]?.text ?? "", host: host, port: port,
            path: value["path"]?.bytes ?? [], named: fields["Host"] ?? authority)
        // In HTTP/2 and HTTP/3 the authority is the Host, in HTTP/1 it makes the target absolute.
        let isHTTP1 = version?.uppercased().hasPrefix("HTTP/1") ?? true
        if !authority.isEmpty, !isHTTP1 { fields.addHost(authority, &marks) }
        let head = try fields.requestHead(
            method: verb, url: url, version: version, isAbsolute: !authority.isEmpty && isHTTP1)
        return Request(url: url, head: head, body: body(value, fields, &marks))
    }

    private static func response(
        _ value: FlowValue.Members, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Response {
        let fields = try fields(value["headers"], &marks)
        let composed = fields.responseHead(
            status: value["status_code"]?.integer ?? 0, reason: value["reason"]?.text,
            version: value["http_version"]?.text)
        guard let head = composed else { throw ImportProblem("its response has no valid status") }
        return Response(head: head, body: body(value, fields, &marks))
    }

    /// The content as it was transferred. It is null if mitmproxy streamed it; its length is then
    /// known only from Content-Length, if at all.
    private static func body(
        _ value: FlowValue.Members, _ fields: ImportFields, _ marks: inout ImportMarks
    ) -> Body {
        if let content = value["content"]?.bytes { return Body(Array(content)) }
        marks.insert(.missingBody)
        return ImportBody.body([], byteCount: fields["Content-Length"].flatMap { Int64($0) })
    }

    private static func fields(
        _ list: FlowValue?, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> ImportFields {
        var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)?] = []
        for line in try list?.elements() ?? [] {
            let parts = try line.elements()
            guard parts.count == 2, let name = parts[0].bytes, let value = parts[1].bytes else {
                fields.append(nil)
                continue
            }
            fields.append((name, value))
        }
        return ImportFields(bytes: fields, &marks)
    }

    private static func trailers(
        _ value: FlowValue.Members, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> HeaderFields? {
        let fields = try fields(value["trailers"], &marks).lines
        return fields.isEmpty ? nil : fields
    }
}

struct FlowConnections {
    let client: ConnectionRecord?
    let server: ConnectionRecord?
    private let serverMoments: (start: Int64?, connected: Int64?, secured: Int64?)

    init(_ flow: FlowValue.Members) throws(ImportProblem) {
        let client = try flow["client_conn"]?.members()
        let server = try flow["server_conn"]?.members()
        self.client = try client.flatMap { value throws(ImportProblem) in
            try FlowConnections.record(.client, value, value["peername"] ?? value["address"])
        }
        self.server = try server.flatMap { value throws(ImportProblem) in
            try FlowConnections.record(
                .server, value, value["peername"] ?? value["ip_address"] ?? value["address"])
        }
        serverMoments = (
            server?["timestamp_start"]?.nanoseconds, server?["timestamp_tcp_setup"]?.nanoseconds,
            server?["timestamp_tls_setup"]?.nanoseconds
        )
    }

    private static func record(
        _ side: ConnectionRecord.Side, _ value: FlowValue.Members, _ peer: FlowValue?
    ) throws(ImportProblem) -> ConnectionRecord? {
        guard let peer = try address(peer) else { return nil }
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: number(value["id"])), side: side,
            openedAt: value["timestamp_start"]?.nanoseconds ?? 0, peerAddress: peer,
            localAddress: try address(value["sockname"] ?? value["source_address"]) ?? "")
        if let version = value["tls_version"]?.text {
            record.security = .init(
                version: version, cipher: (value["cipher"] ?? value["cipher_name"])?.text,
                alpn: value["alpn"]?.text, serverName: value["sni"]?.text,
                peerCertificates: side == .server
                    ? try certificates(value["certificate_list"]) : [])
        }
        if let proxy = try (value["via"] ?? value["via2"])?.elements(), proxy.count == 2 {
            record.upstream = try address(proxy[1])
        }
        return record
    }

    /// A number by which the flows of a file share a connection; 0 if the connection has no name.
    private static func number(_ name: FlowValue?) -> Int64 {
        guard let bytes = name?.bytes, !bytes.isEmpty else { return 0 }
        // FNV-1a. The records are compared too, so that equal numbers do no harm.
        let hash = bytes.prefix(64).reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return Int64(truncatingIfNeeded: hash >> 2) + 1
    }

    /// `host:port` from a list of both.
    private static func address(_ value: FlowValue?) throws(ImportProblem) -> String? {
        let parts = try value?.elements() ?? []
        guard parts.count >= 2, let host = parts[0].text, !host.isEmpty,
            let port = parts[1].integer.flatMap({ UInt16(exactly: $0) }),
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func certificates(_ list: FlowValue?) throws(ImportProblem) -> [[UInt8]] {
        try (list?.elements() ?? []).prefix(16).compactMap { $0.bytes.flatMap(der) }
    }

    private static func der(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return Base64.bytes(lines.filter { !$0.hasPrefix("-") }.joined())
    }

    // MARK: Times

    /// The instants that the file contains. Those of a connection that existed before the request
    /// are not part of the exchange.
    func timeline(
        _ startedAt: Int64, request: FlowValue.Members, response: FlowValue.Members?, error: Int64?
    ) -> Timeline {
        var timeline = Timeline(wallStart: startedAt, start: 0)
        func set(_ moment: Moment, _ at: Int64?) {
            // Without a start there is no duration.
            if let at, startedAt > 0, at >= startedAt { timeline[moment] = at - startedAt }
        }
        timeline[.requestFirstByte] = 0
        set(.requestLastByte, request["timestamp_end"]?.nanoseconds)
        if let start = serverMoments.start {
            timeline.connectionReused = start < startedAt
            if start >= startedAt {
                set(.connectStart, start)
                set(.connectEnd, serverMoments.connected)
                if let secured = serverMoments.secured {
                    set(.tlsStart, serverMoments.connected)
                    set(.tlsEnd, secured)
                }
            }
        }
        set(.responseFirstByte, response?["timestamp_start"]?.nanoseconds)
        set(.responseLastByte, response?["timestamp_end"]?.nanoseconds)
        if response != nil, error == nil {
            set(.delivered, response?["timestamp_end"]?.nanoseconds)
        } else {
            set(.ended, error)
        }
        return timeline
    }
}

/// Reads the messages of a WebSocket that mitmproxy saved: the opcode, whether the client sent it,
/// the content, the time, and whether it was dropped or made by mitmproxy.
enum FlowMessages {
    static func forEach(
        in socket: FlowValue.Members, _ startedAt: Int64, _ take: (MessageRecord) throws -> Void
    ) throws {
        var position: Int64 = 0
        try socket["messages"]?.forEach { value in
            try take(try message(try value.elements(), position, startedAt))
            position += 1
        }
        guard let code = socket["close_code"]?.integer, (0...0xFFFF).contains(code) else { return }
        // 1005 and 1006 say that there was no close frame with a code (RFC 6455 §7.4.1).
        guard code != 1_005, code != 1_006 else { return }
        let reason = socket["close_reason"]?.bytes.map { Array($0.prefix(123)) } ?? []
        let bytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        try take(
            MessageRecord(
                position: position,
                direction: socket["closed_by_client"]?.bool == true ? .toServer : .toClient,
                kind: .close, offsetNs: offset(socket["timestamp_end"], startedAt),
                byteCount: Int64(bytes.count + reason.count), content: .bytes(bytes + reason)))
    }

    private static func message(
        _ parts: [FlowValue], _ position: Int64, _ startedAt: Int64
    ) throws(ImportProblem) -> MessageRecord {
        guard parts.count >= 4, let fromClient = parts[1].bool, let content = parts[2].bytes,
            let kind = parts[0].integer.flatMap(MessageRecord.Kind.init(rawValue:)),
            kind == .text || kind == .binary
        else { throw ImportProblem("its message \(position + 1) cannot be read") }
        var message = MessageRecord(
            position: position, direction: fromClient ? .toServer : .toClient, kind: kind,
            offsetNs: offset(parts[3], startedAt), byteCount: Int64(content.count),
            content: .bytes(Array(content)))
        if parts.count > 4, parts[4].bool == true { message.problem = "mitmproxy dropped it" }
        if parts.count > 5, parts[5].bool == true { message.problem = "mitmproxy injected it" }
        return message
    }

    private static func offset(_ time: FlowValue?, _ startedAt: Int64) -> Int64 {
        max(0, (time?.nanoseconds ?? startedAt) - startedAt)
    }
}

enum FlowURL {
    /// The URL, based on the server that was contacted. If only its address is known, as on a
    /// transparent listener, the name is the one in Host.
    static func url(
        method: HTTPMethod, scheme: String, host: String, port: UInt16,
        path: ArraySlice<UInt8>, named: String
    ) throws(ImportProblem) -> RawURL {
        if method == .connect { return .tunnel(host: host, port: port) }
        let scheme = scheme.isEmpty ? "http" : scheme
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let isAddress = InternetAddress(host) != nil
        let text = "\(scheme)://\(bracketed):\(port)"
        let byHost = try ImportURL.parse(text, method: .get)
        let byName =
            isAddress && !named.isEmpty
            ? try? ImportURL.parse("\(scheme)://\(named)", method: .get) : nil
        let path = Array(path)
        let origin = path.isEmpty ? [UInt8(ascii: "/")] : path
        guard FieldValidator.isRequestTarget(origin.span) else {
            throw ImportProblem("its path cannot be sent")
        }
        return RawURL(
            scheme: byHost.scheme, host: byName?.host ?? byHost.host, port: port, origin: origin)
    }
}
