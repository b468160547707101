public import ProxydHTTPModel

/// A captured exchange, as far as it is needed to answer requests.
public struct MockCapture: Sendable {
    /// Why a capture cannot answer requests.
    public enum Objection: Error, Sendable, Hashable, CaseIterable {
        /// It is still in progress, failed, or has no response.
        case unfinished
        /// It is a tunnel, or switched protocols.
        case switched
        /// Part of its request body is missing, so no request can equal it.
        case requestCut
        /// Part of its response body is missing.
        case responseCut

        /// A phrase that describes captures with this objection.
        public var reason: String {
            switch self {
            case .unfinished: "without a whole response"
            case .switched: "a tunnel or a switch of protocols"
            case .requestCut: "with an incompletely recorded request body"
            case .responseCut: "with an incompletely recorded response body"
            }
        }
    }

    /// The number of the capture.
    public let id: Int64
    /// The request that it answers.
    public let request: MockRequest

    /// Creates a mock from a captured exchange.
    /// - Throws: the reason why it cannot answer requests.
    public init(_ exchange: Exchange) throws(Objection) {
        let isSwitched = exchange.state == .tunnel || exchange.upgradedTo != nil
        guard !isSwitched, exchange.response?.status != 101 else { throw .switched }
        guard exchange.state == .complete, let response = exchange.response,
            let head = exchange.request.head, let url = exchange.request.url
        else { throw .unfinished }
        guard !exchange.request.body.isTruncated else { throw .requestCut }
        guard !response.body.isTruncated else { throw .responseCut }
        id = exchange.id.rawValue
        request = MockRequest(
            method: head.method, url: url, fields: head.fields,
            body: MockRequest.content(of: exchange.request.body.kept, head.fields))
    }

    /// Whether a rule, for example a mock, gave the response in either phase, or a person at a
    /// breakpoint: only responses of servers are served again.
    public static func isOfRule(_ exchange: Exchange) -> Bool {
        exchange.appliedRules.contains(where: \.isAnswer)
    }
}
