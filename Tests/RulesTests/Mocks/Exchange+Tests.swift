import ProxydHTTPModel
import ProxydHTTPWire

extension Exchange {
    /// A capture of a request and a response, both as they were on the wire.
    static func captured(
        _ requestText: String, _ responseText: String?
    ) throws -> Exchange {
        let (requestHead, requestBody) = halves(requestText)
        let head = try HeadParser.parseRequestHead(requestHead)
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let response = try responseText.map { text in
            let (head, body) = halves(text)
            return Response(head: try HeadParser.parseResponseHead(head), body: Body(body))
        }
        return Exchange(
            id: ExchangeID(rawValue: 1), state: .complete,
            request: Request(url: url, head: head, body: Body(requestBody)), response: response,
            timeline: Timeline(wallStart: 0, start: 0))
    }

    private static func halves(_ text: String) -> (head: [UInt8], body: [UInt8]) {
        let parts = text.replacing("\n", with: "\r\n").split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (Array("\(parts[0])\r\n\r\n".utf8), Array((parts.dropFirst().first ?? "").utf8))
    }
}
