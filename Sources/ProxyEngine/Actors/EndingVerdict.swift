public import ProxydHTTPModel

/// A verdict that may end an exchange: whatever was asked, its client can be answered or left.
public protocol EndingVerdict {
    /// The client is answered instead.
    static func answer(_ answer: ExchangeAnswer) -> Self
    /// The client's connection ends without an answer; why, as it is recorded.
    static func end(_ end: ExchangeEnd, because failure: ExchangeFailure) -> Self
}

extension ConnectVerdict: EndingVerdict {}
extension HeadVerdict: EndingVerdict {}
extension BodyVerdict: EndingVerdict {}
extension UpstreamVerdict: EndingVerdict {}
