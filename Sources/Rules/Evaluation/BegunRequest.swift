public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request of which only the head has arrived, in the form that filters examine.
public struct BegunRequest {
    private let subject: RuleSubject

    /// Creates a request that came over a connection.
    public init(_ head: RequestHead, _ url: RawURL, over connection: RuledConnection) {
        let request = ForwardedRequest(head: head, url: url, body: .none)
        subject = RuleSubject(connection, request, .coming)
    }

    /// Whether a filter certainly selects the request.
    public func passes(_ filter: Filter) -> Bool { filter.decision(subject) == .passes }
}
