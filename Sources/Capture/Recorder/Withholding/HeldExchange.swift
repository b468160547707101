internal import ProxydHTTPModel
internal import ProxydInterchange

/// The bodies of an exchange that are held back, and what it takes to look into them.
struct HeldExchange {
    private var requestHead: RequestHead?
    private var responseHead: ResponseHead?
    private var requestBody = HeldBody()
    private var responseBody = HeldBody()
    /// Whether its octets are no content: a tunnel, or another protocol than HTTP.
    private var isOpaque = false

    /// Octets in memory.
    var byteCount: Int { requestBody.byteCount + responseBody.byteCount }

    /// Holds the bodies of `update` back, or puts them in where they have come to their end. A
    /// head that says how its body was coded is then given once more, as it fits what is stored.
    /// No more than `room` octets are held.
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
