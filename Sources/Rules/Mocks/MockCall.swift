internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request that captures are to answer.
public struct MockCall: Sendable {
    /// Which captures, and how.
    public let mock: RuleMock
    /// Where that is written.
    public let place: MockPlace
    /// The request, without a body that is still to come.
    public let request: MockRequest
    /// Whether its body can be waited for.
    public let isBodyComing: Bool
    /// Whether it asks for a switch of protocols, or for a stream of another one.
    public let isUpgrade: Bool

    init(_ mock: RuleMock, at place: MockPlace, _ message: ForwardedRequest, _ body: RuledBody) {
        self.mock = mock
        self.place = place
        let head = message.head
        isBodyComing = body.isComing
        isUpgrade = head.isExtendedConnect || !head.forwardedUpgradeProtocols.isEmpty
        request = MockRequest(
            method: head.method, url: message.url, fields: head.fields,
            body: isBodyComing
                ? [] : body.octets.map { MockRequest.content(of: $0, head.fields) })
    }
}
