internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydTLS

/// A whole exchange as lines for users.
struct ExchangeReport {
    let row: ExchangeRow
    let exchange: Exchange
    /// The bytes of a request head that could not be parsed, or nil if it could.
    let malformedHead: [UInt8]?
    /// The current time in nanoseconds since 1970.
    let now: Int64
    /// The messages of a gRPC call, in place of its bodies.
    var messages = DescribedMessages()

    /// How many bytes of a refused response are shown.
    private static let refusedByteCountMax = 2_048

    /// Everything: summary, both messages, timeline, certificates and tokens.
    func lines() -> [StyledText] {
        let (request, response) = (requestContent, responseContent)
        return summary + RuleReport.lines(exchange.appliedRules) + requestLines(request)
            + responseLines(response) + ["", StyledText("timeline", .heading)] + timelineLines
            + securityLines(request, response)
    }

    private var requestContent: BodyContent {
        BodyContent(exchange.request.body, exchange.request.head?.fields)
    }

    private var responseContent: BodyContent? {
        exchange.response.map { BodyContent($0.body, $0.head.fields) }
    }

    private func securityLines(_ request: BodyContent, _ response: BodyContent?) -> [StyledText] {
        let chain = CertificateReport.chain(of: exchange)
        let tokens = FoundToken.all(
            in: exchange, requestBody: request.bytes, responseBody: response?.bytes ?? [])
        guard !chain.isEmpty || !tokens.isEmpty else { return [] }
        return [""] + SecurityLines.lines(chain, tokens, WallTime(.utc), now: now)
    }

    private var timelineLines: [StyledText] {
        let timeline = TimelineLines(exchange.timeline, holds: exchange.holds)
        let lines = timeline.bars() + [timeline.total] + TimelineLines.frames(exchange.frames)
        return lines.map { "  " + $0 }
    }

    // MARK: Summary

    private var summary: [StyledText] {
        var first = StyledText("#\(row.idText)  ", .dim)
        first.append("\(row.method ?? "-") ", .heading)
        first.append(row.url ?? "(unreadable URL)")
        let facts = ExchangeFacts(row, exchange)
        let all =
            facts.course + facts.traits + facts.grpcStatus + facts.annotations + facts.connections
        return [first, outcome] + all.map { $0.line.indented(by: 2) }
    }

    private var outcome: StyledText {
        var line = StyledText("  ")
        if let status = row.status {
            line.append("\(status) \(row.reason ?? "")  ", Style(.ofStatus(status)))
        }
        line.append(row.state.rawValue)
        if let duration = row.durationNs { line.append("  \(Quantity.duration(duration))") }
        line.append("  \(RFC3339.text(nanoseconds: row.startedAtNs))", .dim)
        return line
    }

    // MARK: Messages

    /// The request: head, decoded query, body, trailers.
    func requestLines() -> [StyledText] { requestLines(requestContent) }

    private func requestLines(_ content: BodyContent) -> [StyledText] {
        let request = exchange.request
        var lines: [StyledText] = ["", StyledText("request", .heading)]
        if let head = request.head {
            lines.append("  \(head.method) \(head.targetText) \(head.version)")
            lines += fieldLines(head.allFields) + sentLines(request)
        } else if let malformedHead, request.malformedCodings != nil {
            lines += FieldList.lines(malformedHead).map { StyledText("    " + ASCII.text($0)) }
        } else if let malformedHead {
            lines += HexLines.lines(malformedHead.prefix(512)).map { "  " + $0 }
        }
        if let query = request.url?.query {
            let pairs = BodyContent.pairs(Array(query), ByteText())
            lines.append(StyledText("  query", .heading))
            lines += BodyReport.pairs(pairs).map { "    " + $0 }
        }
        lines += report(content, .toServer).lines() + trailerLines(request.trailers)
        if let body = request.sentBody {
            let fields = request.sentHead?.fields ?? request.head?.fields
            lines += sentBodyLines(body, fields, to: "server")
        }
        return lines + GraphQLReport.lines(GraphQLCall.all(in: request))
    }

    private func report(
        _ content: BodyContent, _ direction: MessageRecord.Direction
    ) -> BodyReport {
        BodyReport(
            content: content, isRelayed: row.isRelayed && content.body.kept.isEmpty,
            messages: messages.lines[direction])
    }

    /// The request head as forwarded, if it differs.
    private func sentLines(_ request: Request) -> [StyledText] {
        guard let head = request.sentHead else { return [] }
        return [StyledText("  sent to the server instead", .heading), "    \(head.startLineText)"]
            + fieldLines(head.allFields)
    }

    /// The body as forwarded, if it differs.
    private func sentBodyLines(
        _ body: Body, _ fields: HeaderFields?, to receiver: String
    ) -> [StyledText] {
        let heading = StyledText("  sent to the \(receiver) instead", .heading)
        guard body.byteCount > 0 else { return [heading, "    no body"] }
        return [heading] + BodyReport(content: BodyContent(body, fields)).lines().map { "  " + $0 }
    }

    /// The response head that the client received, if it differs.
    private func sentLines(_ response: Response) -> [StyledText] {
        guard let head = response.sentHead else { return [] }
        return [
            StyledText("  sent to the client instead", .heading), "    \(head.statusLineText)",
        ] + fieldLines(head.fields)
    }

    /// The response: interim responses, head, body, trailers.
    func responseLines() -> [StyledText] { responseLines(responseContent) }

    private func responseLines(_ content: BodyContent?) -> [StyledText] {
        guard let response = exchange.response, let content else {
            return refusalLines.isEmpty
                ? [] : ["", StyledText("response", .heading)] + refusalLines
        }
        var lines: [StyledText] = ["", StyledText("response", .heading)]
        for head in exchange.informational + [response.head] {
            lines.append("  \(head.statusLineText)")
            lines += fieldLines(head.fields)
        }
        lines += sentLines(response)
        lines += report(content, .toClient).lines()
        if let body = response.sentBody {
            let fields = (response.sentHead ?? response.head).fields
            lines += sentBodyLines(body, fields, to: "client")
        }
        if let text = exchange.cutBodyText { lines.append(StyledText("  \(text)", .bad)) }
        return lines + trailerLines(response.trailers) + repairLines + refusalLines
    }

    private var repairLines: [StyledText] {
        (exchange.responseFault?.repairs ?? []).map { StyledText("  repaired: \($0)", .notice) }
    }

    /// Why a response was not forwarded, and its start.
    private var refusalLines: [StyledText] {
        guard let refusal = exchange.responseFault?.refusal else { return [] }
        var lines = [StyledText("  refused: \(refusal.reason)", .bad)]
        let shown = refusal.bytes.prefix(ExchangeReport.refusedByteCountMax)
        lines += HexLines.lines(shown).map { "    " + $0 }
        let missing = refusal.bytes.count - shown.count
        if missing > 0 {
            let more = Quantity.bytes(Int64(missing))
            lines.append(StyledText("    … \(more) more, see --json", .dim))
        }
        return lines
    }

    private func trailerLines(_ trailers: HeaderFields?) -> [StyledText] {
        guard let trailers, !trailers.isEmpty else { return [] }
        return [StyledText("  trailers", .heading)] + fieldLines(trailers)
    }

    private func fieldLines(_ fields: HeaderFields) -> [StyledText] {
        fields.pairs.map {
            StyledText("    ") + StyledText($0.name, .key) + StyledText(": \($0.value)")
        }
    }
}

/// A body as lines for users: its type, how it was decoded, and its start.
struct BodyReport {
    let content: BodyContent
    /// Whether it is data sent after the connection switched protocols, and not an HTTP body.
    var isRelayed = false
    /// Its messages, if they are described; otherwise nil.
    var messages: [StyledText]?

    func lines() -> [StyledText] {
        guard content.body.byteCount > 0 else { return [] }
        guard !isRelayed else {
            let line = StyledText("  relayed", .heading)
            return [line + StyledText("  \(Quantity.bytes(content.body.byteCount))")]
        }
        return [heading] + shown().map { "    " + $0 }
    }

    private var heading: StyledText {
        var line = StyledText("  body", .heading)
        line.append("  \(Quantity.bytes(content.body.byteCount))")
        if let type = content.contentType { line.append("  \(type)") }
        if let coding = content.contentEncoding {
            line.append("  \(coding)")
            if content.bytes != content.body.kept {
                line.append(", \(Quantity.bytes(Int64(content.bytes.count))) decoded")
            }
        }
        if content.body.isTruncated {
            let kept = Quantity.bytes(Int64(content.body.kept.count))
            line.append("  truncated: the first \(kept) were kept", .notice)
        }
        if let problem = content.problem {
            line.append("  \(problem)", content.isDecoded ? .notice : .bad)
        }
        return line
    }

    private func shown() -> [StyledText] {
        if let messages { return messages }
        let excerpt = BodyExcerpt(content.bytes, contentType: content.contentType)
        guard excerpt.omittedByteCount > 0 else { return excerpt.lines }
        return excerpt.lines + [BodyReport.more(excerpt.omittedByteCount)]
    }

    private static func more(_ byteCount: Int) -> StyledText {
        StyledText("… \(Quantity.bytes(Int64(byteCount))) more, see --body --decoded", .dim)
    }

    /// Names and values in two columns; a name alone has no value.
    static func pairs(_ pairs: [(String, String?)]) -> [StyledText] {
        var table = TextTable([
            .init(title: "", columnCountMax: 32), .init(title: "", columnCountMax: 200),
        ])
        for (name, value) in pairs {
            table.append([StyledText(name, .key), value.map { StyledText($0) } ?? ""])
        }
        return table.lines()
    }
}

/// The first messages of a gRPC call, as lines for users, if something describes their types.
struct DescribedMessages {
    private static let countMax = 100
    private static let byteCountMax = 64 << 10

    private(set) var lines: [MessageRecord.Direction: [StyledText]] = [:]

    init() {}

    init(of id: ExchangeID, _ reader: any ExchangeReading) throws {
        let page = try reader.messages(
            of: id, .oldest, limit: DescribedMessages.countMax,
            byteCountMax: DescribedMessages.byteCountMax)
        guard page.contains(where: { $0.kind == .grpc }),
            let reading = try DescriptorCache().reading(of: id, reader)
        else { return }
        for message in page where message.kind == .grpc {
            guard let type = reading.typeName(message.direction) else { continue }
            lines[message.direction, default: []] += DescribedMessages.lines(
                of: reading.content(of: message), type)
        }
        guard page.count == DescribedMessages.countMax else { return }
        let more = StyledText("… see proxyctl messages for all of them", .dim)
        for direction in lines.keys { lines[direction]?.append(more) }
    }

    private static func lines(of content: GRPCReading.Content, _ type: String) -> [StyledText] {
        let heading = StyledText(type, .dim)
        switch content {
        case .json(let value, _, let problem):
            let remark = problem.map { [StyledText("(\($0))", .bad)] } ?? []
            return [heading] + BodyExcerpt(value).lines + remark
        case .fields: return [heading, StyledText("(not a message of this type)", .bad)]
        case .unreadable(let problem): return [heading, StyledText("(\(problem))", .bad)]
        }
    }
}

/// The GraphQL operations of a request, as lines for users.
enum GraphQLReport {
    static func lines(_ calls: [GraphQLCall]) -> [StyledText] {
        calls.flatMap { call in
            [StyledText("  graphql", .heading) + StyledText(" \(call.operation)")]
                + document(call) + variables(call)
        }
    }

    private static func document(_ call: GraphQLCall) -> [StyledText] {
        if let document = call.document { return text(GraphQLPrinter.text(of: document)) }
        return call.persistedHash.map { [StyledText("    persisted as \($0)", .dim)] } ?? []
    }

    private static func variables(_ call: GraphQLCall) -> [StyledText] {
        guard let variables = call.variables else { return [] }
        return [StyledText("  variables", .heading)]
            + BodyExcerpt(variables).lines.map { "    " + $0 }
    }

    private static func text(_ text: String) -> [StyledText] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { StyledText("    \($0)") }
    }
}

/// What rules did to an exchange, for users: one line per rule, in the order of application.
enum RuleReport {
    /// The lines; none if no rule was applied.
    static func lines(_ rules: [AppliedRule]) -> [StyledText] {
        guard !rules.isEmpty else { return [] }
        var table = TextTable([
            .init(title: "", columnCountMax: 32), .init(title: ""), .init(title: ""),
            .init(title: ""),
        ])
        for rule in rules {
            table.append([
                StyledText(rule.rule, .key), StyledText(rule.phase.rawValue),
                StyledText(rule.outcome), StyledText(rule.detail ?? "", .dim),
            ])
        }
        return ["", StyledText("rules", .heading)] + table.lines().map { "  " + $0 }
    }
}

/// The certificates that a server sent.
enum CertificateReport {
    /// The facts of a certificate, or nil if the bytes are not one.
    static func facts(_ der: [UInt8]) -> CertificateFacts? {
        guard let summary = CertificateSummary(der: der), let details = summary.details else {
            return nil
        }
        return CertificateFacts(
            subject: summary.subject, issuer: summary.issuer, names: summary.alternativeNames,
            notBefore: Int64(summary.notBefore), notAfter: Int64(summary.notAfter),
            key: details.key, signature: details.signature, serial: details.serial,
            fingerprint: summary.fingerprintText, isAuthority: details.isAuthority)
    }

    static func chain(of exchange: Exchange) -> [CertificateFacts] {
        exchange.server?.security?.peerCertificates.compactMap(facts) ?? []
    }
}
