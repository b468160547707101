public import ProxydHTTPModel

/// An exchange that was read from a file and has no number in this store yet.
public struct ImportedExchange: Sendable {
    /// The exchange's number in the file; nil if it has none.
    public var sourceID: Int64?
    /// The exchange. Its own number has no meaning here, and `replayOf` is a number in the file.
    public var exchange: Exchange
    /// The bytes of a request head that could not be parsed; otherwise nil.
    public var malformedHead: [UInt8]?
    /// The status of a gRPC call, which may be missing from the trailers; nil if unknown.
    public var grpcStatus: Int64?
    /// The messages read so far.
    public var messages: [MessageRecord] = []

    /// The maximum size in bytes of everything but bodies and messages, many times the size of what
    /// servers and clients accept. A running daemon gets it in one piece.
    private static let headByteCountMax = 2 << 20

    /// Returns the exchange. Throws if what describes it is too large to be stored.
    func checked() throws(ImportProblem) -> ImportedExchange {
        var bare = update(id: ExchangeID(rawValue: 0), client: nil, server: nil, replayOf: nil)
        bare.requestBody.appended = []
        bare.responseBody.appended = []
        bare.messages = []
        bare.events = []
        guard bare.heldByteCount <= ImportedExchange.headByteCountMax else {
            throw ImportProblem("its heads are longer than 2 MiB")
        }
        let annotations = exchange.annotations
        let noteByteCount = (annotations.tags + [annotations.note ?? ""]).reduce(0) {
            $0 + $1.utf8.count
        }
        guard noteByteCount <= ImportedExchange.headByteCountMax else {
            throw ImportProblem("its note and tags are longer than 2 MiB")
        }
        return self
    }

    /// Converts the exchange to a single store update under a number of this store.
    public func update(
        id: ExchangeID, client: ConnectionID?, server: ConnectionID?, replayOf: ExchangeID?
    ) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: id, state: exchange.state, timeline: exchange.timeline, isFirst: true)
        update.clientConnection = client
        update.serverConnection = server
        update.url = exchange.request.url
        update.requestHead = exchange.request.head
        update.malformedHead = malformedHead
        update.malformedCodings = exchange.request.malformedCodings
        update.http2 = exchange.http2
        update.frames = exchange.frames
        update.requestHeadSent = exchange.request.sentHead?.bytes
        update.keepsForeignHost = exchange.request.keepsForeignHost
        update.requestBody = progress(exchange.request.body)
        update.requestTrailers = exchange.request.trailers
        update.informational = exchange.informational
        update.responseHead = exchange.response?.head
        update.responseBody = progress(exchange.response?.body ?? Body())
        update.responseTrailers = exchange.response?.trailers
        update.takeDelivery(of: exchange)
        update.responseFault = exchange.responseFault
        update.failure = exchange.failure
        update.upgradedTo = exchange.upgradedTo
        update.replayOf = replayOf
        update.user = exchange.user
        update.grpcStatus = grpcStatus
        update.messages = messages
        update.events = exchange.events
        return update
    }

    private func progress(_ body: Body) -> ExchangeUpdate.BodyProgress {
        var progress = ExchangeUpdate.BodyProgress()
        progress.appended = body.kept
        progress.byteCount = body.byteCount
        progress.isComplete = exchange.state != .failed && !body.isAbandoned
        return progress
    }
}
