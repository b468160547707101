import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// HAR says things that are not what passed: bodies from caches, errors of the client, names in
/// other alphabets.
struct HARTruthTests {
    private static let content = #""bodySize":0,"content":{"size":4,"text":"kept"}"#

    @Test(arguments: [("GET", 304), ("GET", 204), ("HEAD", 200)])
    func `a HAR response that cannot have a body is imported without one`(
        method: String, status: Int
    ) throws {
        let exchange = try HARText.imported(
            HARText.entry(
                method: method,
                response: #"{"status":\#(status),"headers":[],\#(HARTruthTests.content)}"#)
        ).exchange
        #expect(exchange.response?.body == Body())
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }

    @Test func `a HAR response from the browser's cache is tagged from-cache`() throws {
        let exchange = try HARText.imported(
            HARText.entry(
                response: #"{"status":200,\#(HARTruthTests.content)}"#,
                more: #","_fromCache":"disk""#)
        ).exchange
        #expect(exchange.response?.body == Body(Array("kept".utf8)))
        #expect(exchange.annotations.tags == ["rebuilt-head", "from-cache"])
    }

    @Test(arguments: [
        ("net::ERR_ABORTED", "client closedEarly"),
        ("net::ERR_BLOCKED_BY_CLIENT", "client refused"),
        ("net::ERR_INTERNET_DISCONNECTED", "client connectFailed"),
        ("net::ERR_NETWORK_CHANGED", "client connectFailed"),
        ("NS_BINDING_ABORTED", "client closedEarly"),
        ("stream reset by client (CANCEL)", "client closedEarly"),
        ("Client disconnected.", "client closedEarly"),
        ("net::ERR_NAME_NOT_RESOLVED", "upstream nameResolution"),
        ("net::ERR_CONNECTION_REFUSED", "upstream connectionRefused"),
        ("net::ERR_CONNECTION_TIMED_OUT", "upstream timedOut"),
        ("net::ERR_CERT_AUTHORITY_INVALID", "upstream certificate"),
        ("net::ERR_SSL_PROTOCOL_ERROR", "upstream tlsHandshake"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", "upstream malformedResponse"),
        ("net::ERR_CONNECTION_RESET", "upstream closedEarly"),
        ("net::ERR_EMPTY_RESPONSE", "upstream closedEarly"),
    ])
    func `the error name in a HAR entry decides whether the failure is the client's or server's`(
        error: String, fault: String
    ) throws {
        let entry = HARText.entry(response: #"{"status":0,"_error":"\#(error)"}"#)
        let failure = try #require(try HARText.imported(entry).exchange.failure)
        #expect(failure.description == "\(fault): \(error)")
    }

    @Test func `a HAR entry without response or error is not imported as a server failure`()
        throws
    {
        let failure = try #require(
            try HARText.imported(HARText.entry(response: #"{"status":0}"#)).exchange.failure)
        #expect(failure.origin == .proxy)
        #expect(failure.message == "no response was recorded")
    }

    @Test(arguments: [
        ("bücher.test", "xn--bcher-kva.test"), ("BÜCHER.test", "xn--bcher-kva.test"),
        ("bu\u{308}cher.test", "xn--bcher-kva.test"), ("faß.test", "xn--fa-hia.test"),
        ("日本語.jp", "xn--wgv71a119e.jp"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"), ("ü.a.ü", "xn--tda.a.xn--tda"),
        ("☃.test", "xn--n3h.test"), ("😀.test", "xn--e28h.test"), ("A.test", "A.test"),
        // RFC 3492 §7.1.
        ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
        ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ])
    func `an internationalized host name in HAR is converted to Punycode`(
        name: String, sent: String
    )
        throws
    {
        for (written, url) in [
            ("https://\(name)/é?q=日", "https://\(sent)/%C3%A9?q=%E6%97%A5"),
            ("http://u:p@\(name):8080", "http://\(sent):8080/"),
        ] {
            let read = try HARText.imported(HARText.entry(url: written)).exchange.request.url
            #expect(read?.description == url)
        }
    }

    @Test
    func `a HAR request whose host name is too long for DNS is kept as a malformed request head`()
        throws
    {
        let url = "http://\(String(repeating: "ü", count: 300))/"
        let imported = try HARText.imported(HARText.entry(url: url))
        #expect(imported.exchange.request.url == nil)
        #expect(imported.malformedHead?.starts(with: "GET \(url) HTTP/1.1".utf8) == true)
    }
}
