internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydPresentation

/// An exchange in the detail screen: everything but its bodies, which may be loaded in part.
struct DetailSubject: Sendable {
    var row: ExchangeRow
    var exchange: Exchange
    /// The head as received, even of a request head that could not be parsed.
    var requestHead: [UInt8]?
    var responseHead: [UInt8]?
    /// The decoded parameters of the query and of the request body, as far as it was loaded.
    var parameters: [ExtractedParameter]
    var request: DetailBody
    var response: DetailBody
    /// The server's certificate chain, its own certificate first.
    var certificates: [CertificateFacts] = []
    /// The JSON Web Tokens in both messages, as far as they were loaded.
    var tokens: [FoundToken] = []
    /// When the exchange was read, in nanoseconds since 1970.
    var readAt: Int64 = 0
    /// The position of the last message, or nil if there is none.
    var lastMessage: Int64?

    private static let parameterCountMax = 200

    /// Reads an exchange, or returns nil if it was deleted. Continues to read the bodies of an
    /// earlier read.
    static func read(
        _ id: ExchangeID, again earlier: DetailSubject?, _ context: WorkContext
    ) throws -> DetailSubject? {
        guard let row = try context.rows.rows([id]).first,
            let exchange = try context.exchanges.exchange(id, bodyByteCountMax: 0)
        else { return nil }
        let mayGrow = row.state == .active
        let request = DetailBody(
            .request, fields: exchange.request.head?.fields,
            passedByteCount: row.requestBodyByteCount, keptByteCount: row.requestKeptByteCount,
            mayGrow: mayGrow, again: earlier?.request)
        let response = DetailBody(
            .response, fields: exchange.response?.head.fields,
            passedByteCount: row.responseBodyByteCount,
            keptByteCount: row.responseKeptByteCount, mayGrow: mayGrow, again: earlier?.response)
        var subject = DetailSubject(
            row: row, exchange: exchange,
            requestHead: try context.exchanges.headBytes(id, .request),
            responseHead: try context.exchanges.headBytes(id, .response), parameters: [],
            request: request, response: response,
            lastMessage: try context.exchanges.lastMessagePosition(of: id))
        subject.request.look(id, context)
        subject.response.look(id, context)
        let requestBody = subject.beginning(.request)
        subject.parameters = subject.extracted(requestBody)
        subject.certificates = subject.certificates(context.hostActions)
        subject.tokens = FoundToken.all(
            in: exchange, requestBody: requestBody, responseBody: subject.beginning(.response))
        subject.readAt = context.now
        return subject
    }

    func body(_ message: StoredMessage) -> DetailBody { message == .request ? request : response }

    private func beginning(_ message: StoredMessage) -> [UInt8] {
        body(message).source.read(from: 0, byteCount: LoadedBody.firstByteCount)
    }

    private func certificates(_ hostActions: HostActions) -> [CertificateFacts] {
        guard let describe = hostActions.certificates else { return [] }
        return exchange.server?.security?.peerCertificates.compactMap(describe) ?? []
    }

    private func extracted(_ body: [UInt8]) -> [ExtractedParameter] {
        let query = Array(exchange.request.url?.query ?? [])
        return ParameterExtractor.extract(
            query: query.span, contentType: request.facts.contentType, body: body.span,
            limits: ExtractionLimits(
                parameterCountMax: DetailSubject.parameterCountMax,
                textByteCountMax: 256 << 10, valueByteCountMax: 4 << 10))
    }
}

/// The body of one message: facts about it, and the bytes loaded so far.
struct DetailBody: Sendable {
    let message: StoredMessage
    /// The body with content codings removed.
    let source: LoadedBody
    /// The body as received; the same object if there are no content codings.
    let raw: LoadedBody
    private(set) var facts: BodyFacts
    /// Whether all new bytes have to be loaded, and not only the first ones of the body.
    private var readsOn = false

    /// Below this size in bytes, new bytes are shown immediately; above it, only after the body has
    /// grown by an eighth, because the store reads every body from its start.
    private static let eagerByteCountMax = 4 << 20

    init(
        _ message: StoredMessage, fields: HeaderFields?, passedByteCount: Int64,
        keptByteCount: Int64, mayGrow: Bool, again earlier: DetailBody?
    ) {
        self.message = message
        let codings = fields?.values(named: "Content-Encoding") ?? []
        let contentEncoding = codings.isEmpty ? nil : codings.joined(separator: ", ")
        facts = BodyFacts(
            contentType: fields?["Content-Type"], contentEncoding: contentEncoding,
            passedByteCount: passedByteCount, keptByteCount: keptByteCount, beginning: [])
        if let earlier, earlier.facts.contentEncoding == contentEncoding {
            source = earlier.source
            raw = earlier.raw
            for body in contentEncoding == nil ? [source] : [source, raw] {
                readOn(body, keptByteCount, mayGrow)
            }
        } else {
            source = LoadedBody(contentEncoding: contentEncoding, mayGrow: mayGrow)
            raw = contentEncoding == nil ? source : LoadedBody(mayGrow: mayGrow)
        }
    }

    private mutating func readOn(_ body: LoadedBody, _ keptByteCount: Int64, _ mayGrow: Bool) {
        let extent = body.extent
        guard extent.isComplete else { return body.originChanged(mayGrow: mayGrow) }
        let newByteCount = max(0, keptByteCount) - Int64(extent.takenByteCount)
        let isWorthIt =
            extent.takenByteCount < DetailBody.eagerByteCountMax
            || newByteCount >= Int64(extent.takenByteCount / 8) || !mayGrow
        // A body that was complete still is: it is not examined again.
        guard newByteCount > 0 || body.mayGrow && !mayGrow, isWorthIt else { return }
        body.originChanged(mayGrow: mayGrow)
        readsOn = true
    }

    /// Takes a first look, or continues where an earlier one ended.
    mutating func look(_ id: ExchangeID, _ context: WorkContext) {
        if facts.keptByteCount > 0 || source.extent.failure == nil {
            load(source, upTo: readsOn ? .max : LoadedBody.firstByteCount, id, context)
        }
        facts = BodyFacts(
            contentType: facts.contentType, contentEncoding: facts.contentEncoding,
            passedByteCount: facts.passedByteCount, keptByteCount: facts.keptByteCount,
            beginning: source.read(from: 0, byteCount: BodyFacts.lookByteCount))
    }

    func load(_ body: LoadedBody, upTo byteCount: Int, _ id: ExchangeID, _ context: WorkContext) {
        body.load(
            upTo: byteCount,
            from: StoredBodyOrigin(exchanges: context.exchanges, exchange: id, message: message),
            context.isCancelled)
    }
}

enum DetailWorks {
    struct Neighbour: Sendable {
        let row: ExchangeRow?
        let isNext: Bool
    }

    struct Advanced: Sendable {
        let tab: DetailTab
        let generation: Int
        let viewer: (any BodyViewer)?
        let isFinal: Bool
    }

    struct Found: Sendable {
        let tab: DetailTab
        /// The generation of its page when the search was started, to detect changes since then.
        let generation: Int
        let viewer: (any BodyViewer)?
        /// The match, or nil if there is none.
        let place: SearchHit?
        let isWrapped: Bool
        /// Whether the screen started the search itself, for the text in the list's filter.
        let isOwn: Bool
    }

    struct Progress: Sendable, Hashable { let byteCount: Int }

    /// The slots of reading the exchange, of finding lines on the tab and beside it, of searching.
    static let slots = ["subject", moreSlot, besideSlot, "search"]
    static let moreSlot = "more"
    static let besideSlot = "more beside"

    /// The number of bytes examined between two checks for cancellation.
    private static let sliceByteCount = 8 << 20

    static func read(_ id: ExchangeID, again earlier: DetailSubject?) -> Work<DetailScreen.News> {
        Work("subject", on: .details, isQuiet: earlier != nil) { context in
            .read(try DetailSubject.read(id, again: earlier, context))
        }
    }

    static func neighbour(
        of row: ExchangeRow, isNext: Bool, _ filter: Filter, _ order: RowOrder
    ) -> Work<DetailScreen.News> {
        Work("neighbour", on: .rows) { context in
            let page = try context.rows.page(
                RowRequest(
                    filter: filter, order: order, anchor: isNext ? .after(row) : .before(row),
                    count: 1))
            return .neighbour(
                Neighbour(row: isNext ? page.rows.first : page.rows.last, isNext: isNext))
        }
    }

    /// Finds lines up to one of the viewer's lines, loading the body as needed.
    static func advance(
        _ page: DetailPage, _ tab: DetailTab, toLine line: Int, _ body: DetailBody?,
        _ id: ExchangeID, slot: String
    ) -> Work<DetailScreen.News> {
        Work(slot, on: .details) { context, report in
            var page = page
            func advanced(isFinal: Bool) -> DetailScreen.News {
                .advanced(
                    Advanced(
                        tab: tab, generation: page.generation, viewer: page.viewer,
                        isFinal: isFinal))
            }
            while true {
                _ = page.advance(toLine: line, sliceByteCount)
                guard let viewer = page.viewer, viewer.lineCount < line else { break }
                let extent = page.shown?.source.extent ?? BodyExtent()
                if viewer.isComplete, extent.isComplete { break }
                if context.isCancelled() { throw WorkCancelled() }
                if !extent.isComplete, let loaded = page.shown?.loaded {
                    let known = loaded.extent
                    body?.load(loaded, upTo: max(sliceByteCount, known.byteCount * 2), id, context)
                    // Nothing more was loaded, and nothing will be.
                    if loaded.extent == known { break }
                }
                report(advanced(isFinal: false))
            }
            return advanced(isFinal: true)
        }
    }

    /// Searches heads and bodies stop by stop, and then finds the line of the match.
    static func search(
        _ search: ExchangeSearch, _ stops: [SearchStop], _ subject: DetailSubject,
        isOwn: Bool = false
    ) -> Work<DetailScreen.News> {
        Work("search", on: .searches) { context, report in
            let progress = { (byteCount: Int) in report(.progress(Progress(byteCount: byteCount))) }
            for stop in stops {
                guard let page = search.pages.first(where: { $0.tab == stop.tab })?.page else {
                    continue
                }
                if context.isCancelled() { throw WorkCancelled() }
                guard let (place, viewer) = try find(search, stop, page, subject, context, progress)
                else { continue }
                return .found(
                    Found(
                        tab: stop.tab, generation: page.generation, viewer: viewer, place: place,
                        isWrapped: stop.isWrapped, isOwn: isOwn))
            }
            return .found(
                Found(
                    tab: .overview, generation: 0, viewer: nil, place: nil, isWrapped: false,
                    isOwn: isOwn))
        }
    }

    private static func find(
        _ search: ExchangeSearch, _ stop: SearchStop, _ page: DetailPage,
        _ subject: DetailSubject, _ context: WorkContext, _ progress: @escaping (Int) -> Void
    ) throws -> (SearchHit, (any BodyViewer)?)? {
        switch stop.extent {
        case .head(let lines):
            return search.line(in: lines, of: page).map { (.head(line: $0), page.viewer) }
        case .body(let range):
            guard let shown = page.shown, let viewed = page.viewed, var viewer = page.viewer,
                let needle = search.needle.bytes(TextEncoding(viewed.facts))
            else { return nil }
            let body = shown.message.map { subject.body($0) }
            let bodySearch = BodySearch(
                needle: needle, source: viewed.source,
                load: { byteCount in
                    if let loaded = shown.loaded {
                        body?.load(loaded, upTo: byteCount, subject.row.id, context)
                    }
                },
                isCancelled: context.isCancelled, progress: progress)
            guard let match = bodySearch.match(in: range, search.direction) else { return nil }
            let line = try find(match.lowerBound, &viewer, context, progress)
            return (.body(line: line, range: match), viewer)
        }
    }

    private static func find(
        _ offset: Int, _ viewer: inout any BodyViewer, _ context: WorkContext,
        _ progress: (Int) -> Void
    ) throws -> Int? {
        var last = -1
        while true {
            if let line = viewer.line(atOffset: offset) { return line }
            guard !viewer.isComplete, viewer.indexedByteCount != last else { return nil }
            if context.isCancelled() { throw WorkCancelled() }
            last = viewer.indexedByteCount
            viewer.advance(byteBudget: sliceByteCount)
            progress(viewer.indexedByteCount)
        }
    }
}

/// A body in a store, read through the connection of the work that reads it.
struct StoredBodyOrigin: BodyOrigin {
    let exchanges: any ExchangeSource
    let exchange: ExchangeID
    let message: StoredMessage

    func forEachChunk(_ body: ([UInt8]) -> Bool) throws {
        try exchanges.forEachBodyChunk(exchange, message, body)
    }
}
