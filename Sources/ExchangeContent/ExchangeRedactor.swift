public import ProxydCaptureModel
internal import ProxydHTTPModel
public import ProxydRedaction

/// Removes credentials from an exchange, in the same way for every format: from its heads byte by
/// byte, its URL, its trailers and its bodies. Anything that cannot be searched is left out and
/// reported in `leftOut`.
///
/// The result is an ordinary exchange: its heads still parse, a changed body is no longer
/// content-coded, and Content-Length matches it.
public struct ExchangeRedactor: Sendable {
    private let heads: HeadRedactor
    private let bodies: BodyRedactor
    private let messages: MessageRedactor
    private let redaction: Redaction

    public init(_ redaction: Redaction = Redaction()) {
        self.redaction = redaction
        heads = HeadRedactor(redaction)
        bodies = BodyRedactor(redaction)
        messages = MessageRedactor(redaction)
    }

    /// Removes credentials from a row: URL, content types, reason phrase, error, note and tags.
    public func redacted(_ row: ExchangeRow) -> ExchangeRow {
        var row = row
        if let path = row.path {
            let parts = heads.target(Array((path + (row.query.map { "?" + $0 } ?? "")).utf8))
                .split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            row.path = parts.first.map { String(decoding: $0, as: UTF8.self) }
            row.query = row.query == nil ? nil : String(decoding: parts.last ?? [], as: UTF8.self)
        }
        redactTexts(of: &row)
        return row
    }

    /// Error messages quote what servers sent, and users paste anything into notes.
    private func redactTexts(of row: inout ExchangeRow) {
        row.reason = row.reason.map(redaction.text)
        row.requestContentType = row.requestContentType.map(redaction.text)
        row.responseContentType = row.responseContentType.map(redaction.text)
        row.error = row.error.map(redaction.text)
        row.note = row.note.map(redaction.text)
        row.tags = row.tags.map(redaction.text)
    }

    /// Removes credentials from messages, given the redacted and the original exchange. A message
    /// that is a part of a body remains one if the body is unchanged.
    public func redacted(
        _ rows: [MessageRow], of captured: CapturedExchange, from original: CapturedExchange
    ) -> [ExportedMessage] {
        let isRequestSame = captured.exchange.request.body == original.exchange.request.body
        let isResponseSame = captured.exchange.response?.body == original.exchange.response?.body
        return rows.map { row in
            let isSame = row.direction == .toServer ? isRequestSame : isResponseSame
            guard row.bodyStart == nil || !isSame else { return ExportedMessage(row) }
            var row = row
            row.bodyStart = nil
            let isWhole = !row.flags.contains(.cut) && !row.flags.contains(.stillCompressed)
            switch messages.change(row.bytes, row.kind, isWhole: isWhole) {
            case .unchanged: return ExportedMessage(row)
            case .replaced(let bytes):
                row.bytes = bytes
                row.byteCount = Int64(bytes.count)
                return ExportedMessage(row)
            case .leftOut(let rest):
                row.bytes = rest
                row.flags.insert(.cut)
                return ExportedMessage(row, isLeftOut: true)
            }
        }
    }

    public func redacted(_ captured: CapturedExchange) -> CapturedExchange {
        var result = captured
        result.exchange.request.url = captured.exchange.request.url.map(heads.url)
        redactRow(&result)
        // The bytes of frames contain everything, in compressed form.
        result.exchange.frames = FrameTimeline.withoutBytes(captured.exchange.frames)
        if result.malformedHead != nil {
            // In a malformed head not even the start of its fields is certain.
            result.malformedHead = nil
            if result.exchange.request.malformedCodings != nil {
                result.exchange.request.malformedCodings = []
            }
            result.leftOut.append("request head")
        }
        if result.exchange.responseFault?.refusal?.bytes.isEmpty == false {
            result.exchange.responseFault?.refusal?.bytes = []
            result.leftOut.append("refused response")
        }
        let isOpaque = captured.exchange.upgradedTo != nil || captured.exchange.state == .tunnel
        redactRequest(&result, isOpaque: isOpaque)
        redactResponse(&result, isOpaque: isOpaque)
        result.exchange.informational = captured.exchange.informational.map {
            heads.response($0, .unchanged)
        }
        result.exchange.annotations.note = captured.exchange.annotations.note.map(redaction.text)
        result.exchange.annotations.tags = captured.exchange.annotations.tags.map(redaction.text)
        result.exchange.failure = captured.exchange.failure.map(redacted)
        result.exchange.appliedRules = captured.exchange.appliedRules.map(redaction.rule)
        return result
    }

    private func redacted(_ failure: ExchangeFailure) -> ExchangeFailure {
        ExchangeFailure(
            origin: failure.origin, kind: failure.kind, message: redaction.text(failure.message))
    }

    private func redactRow(_ captured: inout CapturedExchange) {
        redactTexts(of: &captured.row)
        guard captured.row.path != nil || captured.row.query != nil else { return }
        if let url = captured.exchange.request.url {
            captured.row.path = url.pathText
            captured.row.query = url.queryText
        } else {
            captured.row.path = nil
            captured.row.query = nil
        }
    }

    private func redactRequest(_ captured: inout CapturedExchange, isOpaque: Bool) {
        let request = captured.exchange.request
        let change = bodies.change(request.body, request.head?.fields, isOpaque: isOpaque)
        captured.leftOut += change.leftOut.map { "request \($0)" }
        captured.exchange.request.head = request.head.map { heads.request($0, change) }
        let sentHead = request.sentHead ?? request.head
        let sent = sentChange(request.sentBody, sentHead?.fields, isOpaque) ?? change
        if request.sentBody != nil { captured.leftOut += sent.leftOut.map { "sent request \($0)" } }
        captured.exchange.request.sentHead = request.sentHead.map { heads.request($0, sent) }
        captured.exchange.request.sentBody = request.sentBody.map(sent.applied)
        captured.exchange.request.body = change.applied(to: request.body)
        captured.exchange.request.trailers = request.trailers.map(heads.trailers)
    }

    /// The change to a body that was sent in place of the one received; nil if there was none.
    private func sentChange(
        _ body: Body?, _ fields: HeaderFields?, _ isOpaque: Bool
    ) -> BodyChange? {
        body.map { bodies.change($0, fields, isOpaque: isOpaque) }
    }

    private func redactResponse(_ captured: inout CapturedExchange, isOpaque: Bool) {
        guard let response = captured.exchange.response else { return }
        let change = bodies.change(response.body, response.head.fields, isOpaque: isOpaque)
        captured.leftOut += change.leftOut.map { "response \($0)" }
        captured.exchange.response?.head = heads.response(response.head, change)
        let sentHead = response.sentHead ?? response.head
        let sent = sentChange(response.sentBody, sentHead.fields, isOpaque) ?? change
        if response.sentBody != nil {
            captured.leftOut += sent.leftOut.map { "sent response \($0)" }
        }
        captured.exchange.response?.sentHead = response.sentHead.map { heads.response($0, sent) }
        captured.exchange.response?.sentBody = response.sentBody.map(sent.applied)
        captured.exchange.response?.body = change.applied(to: response.body)
        captured.exchange.response?.trailers = response.trailers.map(heads.trailers)
    }
}

public struct ExportedMessage: Sendable {
    public var row: MessageRow
    /// Whether redaction removed the content.
    public var isLeftOut: Bool

    public init(_ row: MessageRow, isLeftOut: Bool = false) {
        self.row = row
        self.isLeftOut = isLeftOut
    }
}
