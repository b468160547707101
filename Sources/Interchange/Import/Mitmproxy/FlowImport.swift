internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Reads flows of mitmproxy. Contents are stored as they are, with their content coding; heads are
/// composed, because the file has no bytes of them.
enum FlowImport {
    private static let versions: ClosedRange<Int64> = 18...21
    private static let messageGroupCount = 64

    /// Reads the bytes of a flow.
    static func read(
        _ bytes: [UInt8], _ take: (ImportedPart) throws -> Void
    ) throws {
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
        guard let socket = flow["websocket"] else {
            return try take(.exchange(imported))
        }
        let members = try socket.members()
        let startedAt = imported.exchange.timeline.wallStart
        // All are read before any is passed on: an exchange is stored with all of them or not.
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

    private static func exchange(
        _ flow: FlowValue.Members
    ) throws(ImportProblem) -> Exchange {
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
        return Request(
            url: url, head: head, body: body(value, fields, &marks))
    }

    private static func response(
        _ value: FlowValue.Members, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Response {
        let fields = try fields(value["headers"], &marks)
        let composed = fields.responseHead(
            status: value["status_code"]?.integer ?? 0, reason: value["reason"]?.text,
            version: value["http_version"]?.text)
        guard let head = composed else {
            throw ImportProblem("its response has no valid status")
        }
        return Response(head: head, body: body(value, fields, &marks))
    }

    /// The content as it was transferred. It is null if mitmproxy streamed it: then its length is
    /// known from Content-Length or not at all.
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
