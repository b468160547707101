import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// HTTP/3, which the proxy does not speak, in what other programs recorded.
struct HTTP3Tests {
    private static let log = HARText.log(
        HARText.entry(
            url: "https://a.test/p?q", version: "h3",
            headers: #"{"name":"Accept","value":"*/*"}"#,
            response: #"""
                {"status":200,"httpVersion":"h3","headers":[{"name":"Server","value":"x"}],
                "content":{"text":"ok"}}
                """#))

    @Test
    func `an imported HTTP/3 exchange keeps its version when stored, exported and imported again`()
        throws
    {
        var bytes = HTTP3Tests.log
        for writer: any ExchangeWriting in [HARWriter(version: "1"), JSONLinesWriter()] {
            let store = try InterchangeStore(importing: bytes)
            let captured = try #require(try store.captured().first)
            #expect(captured.row.httpVersion == "HTTP/3")
            #expect(captured.row.spokenProtocol == .http3)
            let request = try #require(captured.exchange.request.head)
            #expect(request.version == .http3)
            #expect(request.startLineText == "GET /p?q HTTP/3")
            #expect(request.authority == "a.test")
            #expect(request.fields.pairs.map(\.name) == ["accept"])
            #expect(captured.exchange.response?.head.statusLineText == "HTTP/3 200")
            bytes = try store.export(writer)
            #expect(String(decoding: bytes, as: UTF8.self).contains(#""HTTP/3""#))
        }
        let again = try InterchangeStore(importing: bytes).captured().first?.exchange
        #expect(again?.request.head?.version == .http3)
        #expect(again?.response?.head.version == .http3)
    }
}
