internal import ProxydHTTPModel
internal import ProxydRedaction

/// The bodies of an exchange that are held back, and what is needed to decode them.
struct HeldExchange {
    private var requestHead: RequestHead?
    private var responseHead: ResponseHead?
    private var requestBody = HeldBody()
    private var responseBody = HeldBody()
    /// Whether the bytes are not HTTP content: a tunnel, or another protocol.
    private var isOpaque = false

    /// The bytes held in memory.
    var byteCount: Int { requestBody.byteCount + responseBody.byteCount }

    /// Holds back the bodies of `update`, or puts them in once they have ended. If the stored
    /// body's coding then differs from the one in the head, a head that matches it is put in too.
    /// At most `room` bytes are held.
    mutating func hold(
        _ update: inout ExchangeUpdate, _ bodies: BodyRedactor, _ heads: HeadRedactor, room: Int
    ) {
        requestHead = update.requestHead ?? requestHead
        responseHead = update.responseHead ?? responseHead
        isOpaque = isOpaque || update.upgradedTo != nil || update.state == .tunnel
        let isOver = update.state != .active
        let requestChange = requestBody.hold(
            &update.requestBody, isEnd: isOver || update.requestBody.isComplete,
            room: room - responseBody.byteCount
        ) { bodies.change($0, requestHead?.fields, isOpaque: isOpaque) }
        if case .replaced = requestChange, let requestHead {
            update.requestHead = heads.request(requestHead, requestChange)
        }
        let responseChange = responseBody.hold(
            &update.responseBody, isEnd: isOver || update.responseBody.isComplete,
            room: room - requestBody.byteCount
        ) { bodies.change($0, responseHead?.fields, isOpaque: isOpaque) }
        if case .replaced = responseChange, let responseHead {
            update.responseHead = heads.response(responseHead, responseChange)
        }
    }
}
