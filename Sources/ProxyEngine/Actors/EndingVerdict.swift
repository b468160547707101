public import ProxydHTTPModel

/// A verdict that can end an exchange: whatever the question was, the actor can answer the client
/// or close its connection.
public protocol EndingVerdict {
    /// Sends this answer to the client instead.
    static func answer(_ answer: ExchangeAnswer) -> Self
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    static func end(_ end: ExchangeEnd, because failure: ExchangeFailure) -> Self
}

extension ConnectVerdict: EndingVerdict {}
extension HeadVerdict: EndingVerdict {}
extension BodyVerdict: EndingVerdict {}
extension UpstreamVerdict: EndingVerdict {}
