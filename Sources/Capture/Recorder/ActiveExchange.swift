internal import ProxydHTTPModel

/// What the recorder remembers of an exchange that is in the store but has not ended.
struct ActiveExchange {
    /// One body's progress.
    struct BodyState {
        /// What passed, and what of it is in the store.
        var counts = RecordedRow.BodyCounts()
        /// The number of the next piece.
        var pieceCount: Int64 = 0
    }

    /// Answers of a server's reflection so far.
    struct Reflection {
        var byteCount: Int64 = 0
        var count = 0
    }

    var request = BodyState()
    var response = BodyState()
    /// The bodies as they were sent on, where those differ.
    var requestSent = BodyState()
    var responseSent = BodyState()
    /// Applied rules so far, which gives the next one's position.
    var appliedRuleCount: Int64 = 0
    /// Tags that rules gave so far.
    var tagCount = 0
    /// Data messages so far.
    var messageCount: Int64 = 0
    /// Nil where the exchange is none of reflection.
    var reflection: Reflection?
    /// The number of the next piece of frames; the first are in the row.
    var framePieceCount: Int64 = 0
    var flags: ExchangeFlags = []
    /// Whether the request body was looked at for parameters.
    var isRequestDecoded = false
    /// The request's Content-Type, for decoding its body when it is complete.
    var requestType: String?
    /// The request's Content-Encoding.
    var requestCoding: String?

    /// Takes over what news say of counts and ends.
    mutating func note(_ row: borrowing RecordedRow) {
        request.counts.seen = max(request.counts.seen, row.request.seen)
        response.counts.seen = max(response.counts.seen, row.response.seen)
        flags.formUnion(row.flags)
        // Asked for when the body is whole: not where none comes.
        if row.headFormat?.isReadable == true, row.state == .active || request.counts.seen > 0 {
            requestType = row.text(.requestType)
            requestCoding = row.text(.requestCoding)
        }
    }
}
