public import ProxydHTTPModel

/// An exchange that was captured, as far as it can answer requests.
public struct MockCapture: Sendable {
    /// Why a capture answers nothing.
    public enum Objection: Error, Sendable, Hashable, CaseIterable {
        /// It is still under way, failed, or has no response.
        case unfinished
        /// It is a tunnel, or switched protocols.
        case switched
        /// Of its request's body a part is missing, so that no request can be the same.
        case requestCut
        /// Of its response's body a part is missing.
        case responseCut

        /// In words: what captures with it are.
        public var reason: String {
            switch self {
            case .unfinished: "without a whole response"
            case .switched: "a tunnel or a switch of protocols"
            case .requestCut: "with a request body that was not kept whole"
            case .responseCut: "with a response body that was not kept whole"
            }
        }
    }

    /// Its number.
    public let id: Int64
    /// What it answers.
    public let request: MockRequest

    /// A capture that can answer requests.
    /// - Throws: why it cannot.
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

    /// Whether a rule gave the response, a mock's for one: what no server said answers nothing.
    public static func isOfRule(_ exchange: Exchange) -> Bool {
        exchange.appliedRules.contains {
            $0.phase == .request && ["answered", "blocked"].contains($0.outcome)
        }
    }
}
