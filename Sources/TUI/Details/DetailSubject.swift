internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydOperations

/// The state of an exchange in the detail screen: everything except its bodies, of which only a
/// part may be loaded.
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

    /// The maximum number of parameters shown.
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

    /// The body of a message.
    func body(_ message: StoredMessage) -> DetailBody {
        message == .request ? request : response
    }

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
