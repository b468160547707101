internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydWebServer

struct ExchangeRoutes: Sendable {
    let store: SharedReader
    let services: WebServices
    private let descriptors = DescriptorCache()

    func add(to router: inout WebRouter) {
        let base = "/api/v1/exchanges/{id}"
        router.add(.get, base) { request in
            .json(ExchangeDetail(try subject(request, upTo: ExchangeDetail.bodyByteCountMax)).json)
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
        router.add(.get, "/api/v1/timelines", timelines)
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
        _ request: WebRequest, upTo bodyByteCountMax: Int = CapturedExchange.bodyByteCountMax
    ) throws -> CapturedExchange {
        try subject(store.exchangeID(of: request), request, upTo: bodyByteCountMax)
    }

    private func side(_ name: String, _ request: WebRequest) throws -> CapturedExchange {
        guard let text = request.parameter(name), ExchangeName(text) != nil else {
            throw WebProblem(400, "\(name) must be the number of an exchange")
        }
        guard let id = try store.exchangeID(named: text, for: request) else {
            throw WebProblem(404, "there is no exchange \(text)")
        }
        return try subject(id, request)
    }

    private func subject(
        _ id: ExchangeID, _ request: WebRequest,
        upTo bodyByteCountMax: Int = CapturedExchange.bodyByteCountMax
    ) throws -> CapturedExchange {
        let found = try store.read(for: request) { (reader) throws(StoreError) in
            try reader.captured(id, bodyByteCountMax: bodyByteCountMax)
        }
        guard let found else {
            throw WebProblem(404, "there is no exchange \(try store.name(of: id, for: request))")
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
        let (id, part) = (try store.exchangeID(of: request), try part(request))
        let (isThere, head) = try store.read(for: request) { (reader) throws(StoreError) in
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
        let (id, part) = (try store.exchangeID(of: request), try part(request))
        let name = fileName(id, request) + ".body"
        if try request.flag("decoded") == true {
            let content = try subject(request).content(part)
            return .attachment(name, .bytes(content.bytes))
        }
        let kept = try store.read(for: request) { (reader) throws(StoreError) -> Int64? in
            guard let row = try reader.row(id) else { return nil }
            return part == .request ? row.requestKeptByteCount : row.responseKeptByteCount
        }
        guard let kept else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        let range = try ByteRange(request.fields["Range"], byteCount: kept)
        let reader = try store.reader()
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
        let isRedacted = try request.flag("redact") ?? false
        let original = try subject(request)
        let subject = isRedacted ? ExchangeRedactor().redacted(original) : original
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

    // MARK: Timelines

    private static let timelineCountMax = 200

    /// The timelines of several exchanges, those that are stored. Holds are part of exchanges, so
    /// only for held ones the whole exchange is read.
    private func timelines(_ request: WebRequest) throws -> WebResponse {
        let names = (request.parameter("ids") ?? "").split(separator: ",").map(String.init)
        guard (1...ExchangeRoutes.timelineCountMax).contains(names.count) else {
            throw WebProblem(
                400, "ids must be 1 to \(ExchangeRoutes.timelineCountMax) numbers, with commas")
        }
        var ids: [ExchangeID: String] = [:]
        for name in names {
            guard let id = try store.exchangeID(named: name, for: request) else {
                throw WebProblem(400, "ids must be numbers separated by commas")
            }
            ids[id] = name
        }
        let order = ids.keys.sorted()
        let (rows, found) = try store.read(for: request) { (reader) throws(StoreError) in
            (try reader.rows(order), try reader.timelines(order))
        }
        var members: [(String, JSONValue)] = []
        for row in rows {
            guard let name = ids[row.id], let timeline = found[row.id] else { continue }
            let value =
                row.heldNs == nil
                ? TimelineJSON.value(timeline, [])
                : TimelineJSON.value(try subject(row.id, request, upTo: 0).exchange)
            members.append((name, value))
        }
        return .json(.members([("timelines", .members(members))]))
    }

    // MARK: Messages

    private func messages(_ request: WebRequest) throws -> WebResponse {
        let id = try store.exchangeID(of: request)
        let limit = try request.number("limit", in: 1...500) ?? 100
        let filter = try MessageFilter.parse(request.parameter("filter") ?? "")
        let after = try request.number("after", in: -1...Int.max).map(Int64.init)
        let before = try request.number("before", in: 0...Int.max).map(Int64.init)
        guard filter.matchesEverything || before == nil else {
            throw WebProblem(400, "filter works with after, not with before")
        }
        let found = try store.read(for: request) { (reader) throws(StoreError) -> MessagesFound? in
            guard try reader.row(id) != nil else { return nil }
            let search = MessageSearch(reader, id, limit: limit)
            guard filter.matchesEverything else { return try search.page(filter, after: after) }
            return try search.page(
                after.map(MessagePage.after) ?? before.map(MessagePage.before) ?? .oldest)
        }
        guard let found else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        let grpc = try store.read(for: request) { (reader) throws(StoreError) in
            let hasGRPC = found.rows.contains { $0.kind == .grpc }
            return hasGRPC ? try descriptors.reading(of: id, reader) : nil
        }
        return .json(MessagesJSON.value(found.rows, grpc, next: found.next))
    }
}

/// `GET /exchanges/{id}/view/{part}`: a body as lines of a viewer.
struct BodyView {
    private static let lineCountMax = 5_000
    /// The most bytes that are examined for a page of lines.
    private static let byteBudget = 8 << 20

    private let facts: BodyFacts
    private let content: BodyContent
    private let viewer: any BodyViewer.Type
    private let start: Int
    private let count: Int
    /// The text that lines must contain, in lower case; nil for all lines.
    private let sought: String?

    init(
        _ request: WebRequest, _ subject: CapturedExchange, _ part: StoredMessage
    ) throws(WebProblem) {
        let content = subject.content(part)
        let facts = BodyFacts(contentType: content.contentType, bytes: content.bytes)
        if let name = request.parameter("viewer") {
            guard let named = BodyViewers.named(name) else {
                throw WebProblem(400, "there is no viewer \(name)")
            }
            viewer = named
        } else {
            viewer = BodyViewers.suited(to: facts).first ?? BodyViewers.hex
        }
        self.facts = facts
        self.content = content
        start = try request.number("from", in: 0...Int.max) ?? 0
        count = try request.number("count", in: 1...BodyView.lineCountMax) ?? 1_000
        sought = request.parameter("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
    }

    func json() throws(WebProblem) -> JSONValue {
        var view = ViewedBody(viewer, facts, LoadedBody(content.bytes)).viewer
        let (end, isOver) = start.addingReportingOverflow(sought == nil ? count : .max / 2)
        guard !isOver else { throw WebProblem(400, "from is too large") }
        while !view.isComplete, view.lineCount < end {
            let before = view.indexedByteCount
            view.advance(byteBudget: BodyView.byteBudget)
            if view.indexedByteCount == before { break }
        }
        let (lines, reached) = lines(of: view, until: min(end, view.lineCount))
        let hasMore = reached < view.lineCount || !view.isComplete
        return .members([
            ("viewer", .string(viewer.name)),
            ("viewers", .strings(BodyViewers.suited(to: facts).map { $0.name })),
            ("remark", .text(view.remark)), ("line_count", .integer(view.lineCount)),
            ("complete", .bool(view.isComplete)), ("lines", .array(lines)),
            ("next", .integer(hasMore && reached > start ? reached : nil)),
            ("decoded", .bool(content.isDecoded)),
            ("problem", .text(content.problem)),
            ("untrusted", .bool(true)),
        ])
    }

    /// The wanted lines, and the number of the line after the last one examined.
    private func lines(of view: any BodyViewer, until end: Int) -> ([JSONValue], reached: Int) {
        var found: [JSONValue] = []
        var number = min(start, end)
        while number < end, found.count < count {
            for text in view.lines(number..<number + 1) {
                guard sought.map(text.text.lowercased().contains) ?? true else { continue }
                found.append(line(text, number))
            }
            number += 1
        }
        return (found, number)
    }

    private func line(_ line: StyledText, _ number: Int) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("number", .integer(number)), ("spans", SpansJSON.value(line)),
        ]
        if line.fold != .none { members.append(("fold", .string("\(line.fold)"))) }
        return .members(members)
    }
}

/// The part of a body that a Range field asks for (RFC 9110 §14). Several ranges, and units other
/// than bytes, are answered with the whole body.
struct ByteRange: Sendable {
    private let start: Int64
    private let end: Int64
    private let byteCount: Int64
    /// The number of bytes of the body that have passed.
    private var offset: Int64 = 0

    /// Throws 416 if the range is outside the body.
    init(_ field: String?, byteCount: Int64) throws(WebProblem) {
        self.byteCount = byteCount
        guard let (first, last) = ByteRange.bounds(field) else {
            (start, end) = (0, byteCount)
            return
        }
        switch (first, last) {
        case (let first?, let last):
            start = first
            end = last.map { $0 < byteCount ? $0 + 1 : byteCount } ?? byteCount
        case (nil, let suffix):
            start = max(0, byteCount - (suffix ?? 0))
            end = byteCount
        }
        guard start < end else {
            throw WebProblem(416, "the range is outside the body of \(byteCount) bytes")
        }
    }

    /// Whether less than the whole body is wanted.
    var isPartial: Bool { start > 0 || end < byteCount }
    /// Whether everything that is wanted has passed.
    var isDone: Bool { offset >= end }
    var contentRange: String { "bytes \(start)-\(end - 1)/\(byteCount)" }

    /// Returns the wanted bytes of the next chunk of the body.
    mutating func take(from chunk: [UInt8]) -> [UInt8] {
        let first = max(0, min(Int64(chunk.count), start - offset))
        let last = max(first, min(Int64(chunk.count), end - offset))
        offset += Int64(chunk.count)
        return first == 0 && last == chunk.count ? chunk : Array(chunk[Int(first)..<Int(last)])
    }

    private static func bounds(_ field: String?) -> (first: Int64?, last: Int64?)? {
        guard let field, field.hasPrefix("bytes="), !field.contains(",") else { return nil }
        let parts = field.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (number(parts[0]), number(parts[1]))
        let isFirst = first != nil || parts[0].isEmpty
        guard isFirst, last != nil || (parts[1].isEmpty && first != nil) else { return nil }
        if let first, let last, last < first { return nil }
        return (first, last)
    }

    /// Digits alone: a sign is not part of the syntax.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}

/// Images of pixels, recognised by their signature; others are refused: SVG can contain scripts.
enum BodyImage {
    static func response(_ content: BodyContent) throws(WebProblem) -> WebResponse {
        guard let facts = ImageFacts(content.bytes) else {
            throw WebProblem(415, "the body is not an image of a known format")
        }
        return WebResponse(
            fields: [("Content-Type", facts.format.mediaType), PageRoutes.capturedPolicy],
            body: .bytes(content.bytes))
    }
}
