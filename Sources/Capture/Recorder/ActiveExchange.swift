internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// The recorder's state of an exchange that is in the store but has not ended.
struct ActiveExchange {
    /// How far one body has come.
    struct BodyState {
        /// How many bytes passed, and how many of them are stored.
        var counts = RecordedRow.BodyCounts()
        /// The index of the next piece.
        var pieceCount: Int64 = 0
    }

    /// The head of a response as a list shows it.
    struct ResponseLine {
        var status: Int64?
        var reason: String?
        var contentType: String?
    }

    /// The server reflection answers of the exchange so far.
    struct Reflection {
        var byteCount: Int64 = 0
        var count = 0
    }

    var request = BodyState()
    var response = BodyState()
    /// The bodies as forwarded, if they differ from those received.
    var requestSent = BodyState()
    var responseSent = BodyState()
    /// The response that came.
    var received = ResponseLine()
    /// What the client got of it, with all values nil if it got nothing; nil if it got what came.
    var delivered: ResponseLine?
    /// How many bytes of another body the client got; nil if it got the one that came.
    var deliveredByteCount: Int64?
    /// The number of applied rules so far, which is the position of the next one.
    var appliedRuleCount: Int64 = 0
    /// The number of tags added by rules so far.
    var tagCount = 0
    /// The number of data messages so far.
    var messageCount: Int64 = 0
    /// Nil if the exchange is not a call to server reflection.
    var reflection: Reflection?
    /// The index of the next piece of frames; the first frames are stored in the row.
    var framePieceCount: Int64 = 0
    var flags: ExchangeFlags = []
    /// Whether parameters were extracted from the request body.
    var isRequestDecoded = false
    /// The request's Content-Type, for decoding its complete body.
    var requestType: String?
    /// The request's Content-Encoding, for the same purpose.
    var requestCoding: String?

    /// Merges the counts, flags and content type of an update.
    mutating func note(_ row: borrowing RecordedRow) {
        request.counts.seen = max(request.counts.seen, row.request.seen)
        response.counts.seen = max(response.counts.seen, row.response.seen)
        flags.formUnion(row.flags)
        if row.status != nil {
            received = ResponseLine(
                status: row.status, reason: row.text(.reason), contentType: row.text(.responseType))
        }
        deliveredByteCount = row.sentResponseByteCount ?? deliveredByteCount
        // Needed when the body is complete, so only if there is going to be one.
        if row.headFormat?.isReadable == true, row.state == .active || request.counts.seen > 0 {
            requestType = row.text(.requestType)
            requestCoding = row.text(.requestCoding)
        }
    }
}
