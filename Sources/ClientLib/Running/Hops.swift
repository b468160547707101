internal import HTTPModel

/// Decides what follows a response: the request again with an answer to a challenge, another place
/// that a redirect names, or nothing. Keeps what of cookies and credentials goes along.
struct Hops {
    private let handle: any ClientRequest

    init(_ handle: any ClientRequest) { self.handle = handle }

    /// Adds what the session knows for the place a request goes to.
    mutating func prepare(_ request: inout HTTPRequest) throws(ClientError) {}

    /// What to send next; nil where a response is the last.
    mutating func next(
        after head: ResponseHead, to request: HTTPRequest
    ) async throws(ClientError) -> HTTPRequest? {
        nil
    }
}
