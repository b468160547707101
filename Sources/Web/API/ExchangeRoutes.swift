internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydWebServer
internal import ProxydOperations

/// Routes that read one exchange.
struct ExchangeRoutes: Sendable {
    let door: StoreDoor
    let services: WebServices
    private let descriptors = DescriptorCache()

    init(door: StoreDoor, services: WebServices) {
        self.door = door
        self.services = services
    }

    func add(to router: inout WebRouter) {
        let base = "/api/v1/exchanges/{id}"
        router.add(.get, base) { request in
            .json(
                ExchangeDetail(try subject(request, upTo: ExchangeDetail.bodyByteCountMax)).json)
        }
        router.add(.get, base + "/head/{part}", head)
        router.add(.get, base + "/body/{part}", body)
        router.add(.get, base + "/view/{part}") { request in
            .json(try BodyView(request, try subject(request), part(request)).json())
        }
        router.add(.get, base + "/image/{part}") { request in
            try BodyImage.response(try subject(request).content(part(request)))
        }
        router.add(.get, base + "/messages", messages)
        router.add(.get, base + "/timeline") { request in
            .json(TimelineJSON.value(try subject(request, upTo: 0).exchange))
        }
        router.add(.get, base + "/changes") { request in
            .json(try ComparisonJSON.changes(try subject(request).exchange))
        }
        router.add(.get, base + "/certificates") { request in
            let exchange = try subject(request, upTo: 0).exchange
            return .json(
                CertificatesJSON.value(exchange, services.actions.certificates ?? { _ in nil }))
        }
        router.add(.get, base + "/copy/{language}", copy)
        router.add(.get, "/api/v1/diff") { request in
            let (left, right) = (try side("left", request), try side("right", request))
            return .json(try ComparisonJSON.value(left, right))
        }
    }

    // MARK: Reading

    /// The exchange of the route, with at most this many bytes of each body.
    private func subject(
        _ request: WebRequest, upTo bodyByteCountMax: Int = ExchangeSubject.bodyByteCountMax
    ) throws -> ExchangeSubject {
        try subject(door.exchangeID(of: request), request, upTo: bodyByteCountMax)
    }

    private func side(_ name: String, _ request: WebRequest) throws -> ExchangeSubject {
        guard let text = request.parameter(name), ExchangeName(text) != nil else {
            throw WebProblem(400, "\(name) must be the number of an exchange")
        }
        guard let id = try door.exchangeID(named: text, for: request) else {
            throw WebProblem(404, "there is no exchange \(text)")
        }
        return try subject(id, request)
    }

    private func subject(
        _ id: ExchangeID, _ request: WebRequest,
        upTo bodyByteCountMax: Int = ExchangeSubject.bodyByteCountMax
    ) throws -> ExchangeSubject {
        let found = try door.read(for: request) { (reader) throws(StoreError) in
            try ExchangeSubject(id, reader, bodyByteCountMax: bodyByteCountMax)
        }
        guard let found else {
            throw WebProblem(404, "there is no exchange \(try door.name(of: id, for: request))")
        }
        return found
    }

    private func part(_ request: WebRequest) throws(WebProblem) -> StoredMessage {
        switch request.segment("part") {
        case "request": .request
        case "response": .response
        case let other: throw WebProblem(404, "there is no part \(other): request or response")
        }
    }

    // MARK: Bytes

    private func fileName(_ id: ExchangeID, _ request: WebRequest) -> String {
        let name = ExchangeName(request.segment("id"))?.fileName ?? "\(id)"
        return "exchange-\(name)-\(request.segment("part"))"
    }

    private func head(_ request: WebRequest) throws -> WebResponse {
        let (id, part) = (try door.exchangeID(of: request), try part(request))
        let (isThere, head) = try door.read(for: request) { (reader) throws(StoreError) in
            (try reader.row(id) != nil, try reader.headBytes(of: id, part))
        }
        guard isThere else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        guard let head else {
            throw WebProblem(404, "exchange \(request.segment("id")) has no such head")
        }
        return .attachment(fileName(id, request) + ".head", .bytes(head))
    }

    /// The stored bytes, or with `decoded=true` those without content codings.
    private func body(_ request: WebRequest) throws -> WebResponse {
        let (id, part) = (try door.exchangeID(of: request), try part(request))
        let name = fileName(id, request) + ".body"
        if try request.flag("decoded") == true {
            let content = try subject(request).content(part)
            return .attachment(name, .bytes(content.bytes))
        }
        let kept = try door.read(for: request) { (reader) throws(StoreError) -> Int64? in
            guard let row = try reader.row(id) else { return nil }
            return part == .request ? row.requestKeptByteCount : row.responseKeptByteCount
        }
        guard let kept else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        let range = try ByteRange(request.fields["Range"], byteCount: kept)
        let reader = try WebFailure.explaining { try door.reader() }
        var response = WebResponse.attachment(
            name,
            .pieces { writer in
                var slice = range
                try reader.forEachBodyChunk(of: id, part) { chunk in
                    let wanted = slice.take(from: chunk)
                    guard (try? writer.write(wanted)) != nil else { return false }
                    return !slice.isDone
                }
            })
        response.fields.append(("Accept-Ranges", "bytes"))
        if range.isPartial {
            response.status = 206
            response.fields.append(("Content-Range", range.contentRange))
        }
        return response
    }

    private func copy(_ request: WebRequest) throws -> WebResponse {
        let subject = try subject(request)
        guard let language = RequestSnippet(rawValue: request.segment("language")) else {
            throw WebProblem(404, "requests are copied as curl, fetch, python or swift")
        }
        guard let text = language.text(of: subject.exchange.request) else {
            throw WebProblem(409, "the request was not understood, so there is no code for it")
        }
        return WebResponse(
            fields: [("Content-Type", "text/plain; charset=utf-8"), PageRoutes.capturedPolicy],
            body: .bytes(Array(text.utf8)))
    }

    // MARK: Messages

    private func messages(_ request: WebRequest) throws -> WebResponse {
        let id = try door.exchangeID(of: request)
        let limit = try request.number("limit", in: 1...500) ?? 100
        let page: MessagePage =
            if let after = try request.number("after", in: -1...Int.max) {
                .after(Int64(after))
            } else if let before = try request.number("before", in: 0...Int.max) {
                .before(Int64(before))
            } else {
                .oldest
            }
        let (rows, grpc) = try door.read(for: request) {
            (reader) throws(StoreError) -> ([MessageRow]?, GRPCReading?) in
            guard try reader.row(id) != nil else { return (nil, nil) }
            let rows = try reader.messages(
                of: id, page, limit: limit, byteCountMax: MessagesJSON.byteCountMax)
            let hasGRPC = rows.contains { $0.kind == .grpc }
            return (rows, hasGRPC ? try descriptors.reading(of: id, reader) : nil)
        }
        guard let rows else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        return .json(MessagesJSON.value(rows, grpc, isFull: rows.count == limit))
    }
}
