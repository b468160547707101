public import ProxydHTTPModel
public import ClientLib

/// What a stub gives in place of a server.
public enum SampleResponse: Sendable {
    /// A status and a body.
    case networkResponse(Int, [UInt8])
    /// A head and a body. Where the head names content codings, the body is one of them.
    case response(ResponseHead, [UInt8])
    /// A failure, as if the network had failed in this way.
    case networkError(ClientError)
    /// A captured response with head, interim responses, body and trailers, or a captured failure.
    /// An exchange without either, or without its whole body, fails with `.unsupported`.
    case captured(Exchange)
}

/// The response or failure that a stub plays back.
struct StubAnswer: Sendable {
    let head: ResponseHead
    let body: [UInt8]
    var informational: [ResponseHead] = []
    var trailers: HeaderFields?
}

extension SampleResponse {
    func answer() throws(ClientError) -> StubAnswer {
        switch self {
        case .networkResponse(let status, let body):
            StubAnswer(
                head: ResponseHead(status: status, reason: "", fields: HeaderFields()), body: body)
        case .response(let head, let body): StubAnswer(head: head, body: body)
        case .networkError(let error): throw error
        case .captured(let exchange): try SampleResponse.answer(of: exchange)
        }
    }

    private static func answer(of exchange: Exchange) throws(ClientError) -> StubAnswer {
        if let failure = exchange.failure {
            throw ClientError(.network(failure.kind), message: failure.message)
        }
        guard let response = exchange.response else {
            throw ClientError(.unsupported, message: "the captured exchange has no response")
        }
        guard !response.body.isTruncated else {
            throw ClientError(
                .unsupported,
                message: "the captured body has \(response.body.byteCount) bytes, of which"
                    + " \(response.body.kept.count) were kept")
        }
        return StubAnswer(
            head: response.head, body: response.body.kept,
            informational: exchange.informational, trailers: response.trailers)
    }
}
