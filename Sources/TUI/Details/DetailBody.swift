internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

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

    /// Creates the body of a stored message, continuing with that of an earlier read.
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

    /// Loads more of the body, decoded or as received.
    func load(
        _ body: LoadedBody, upTo byteCount: Int, _ id: ExchangeID, _ context: WorkContext
    ) {
        body.load(
            upTo: byteCount,
            from: StoredBodyOrigin(
                exchanges: context.exchanges, exchange: id, message: message),
            context.isCancelled)
    }
}
