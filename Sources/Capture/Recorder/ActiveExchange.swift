/// What the recorder remembers of an exchange that is in the store but has not ended.
struct ActiveExchange {
    /// One body's progress.
    struct BodyState {
        /// Octets that passed.
        var seenByteCount: Int64 = 0
        /// Octets in the store.
        var keptByteCount: Int64 = 0
        /// The number of the next piece.
        var pieceCount: Int64 = 0
    }

    var request = BodyState()
    var response = BodyState()
    var flags: ExchangeFlags = []
    /// Whether the request body was looked at for parameters.
    var isRequestDecoded = false
    /// The request's Content-Type, for decoding its body when it is complete.
    var requestType: String?
    /// The request's Content-Encoding.
    var requestCoding: String?
}
