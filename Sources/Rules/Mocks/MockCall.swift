internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request that captures should answer.
public struct MockCall: Sendable {
    /// Which captures answer, and how.
    public let mock: RuleMock
    /// The position of the mock in the rules.
    public let place: MockPlace
    /// The request, with an empty body if that has not arrived.
    public let request: MockRequest
    /// Whether the caller can wait for its body.
    public let isBodyComing: Bool
    /// Whether it asks for a switch of protocols, or is an extended CONNECT.
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
                ? [] : body.bytes.map { MockRequest.content(of: $0, head.fields) })
    }
}
