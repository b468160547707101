public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request of which only the head is known, as filters look at it.
public struct BegunRequest {
    private let subject: RuleSubject

    /// A request that came over a connection.
    public init(_ head: RequestHead, _ url: RawURL, over connection: RuledConnection) {
        let request = ForwardedRequest(head: head, url: url, body: .none)
        subject = RuleSubject(connection, request, .coming)
    }

    /// Whether a filter selects it.
    public func passes(_ filter: Filter) -> Bool { filter.decision(subject) == .passes }
}
