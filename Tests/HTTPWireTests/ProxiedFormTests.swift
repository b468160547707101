import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// Requests in the form for a proxy.
struct ProxiedFormTests {
    private struct NotForwarded: Error {}

    private func written(
        _ text: String, authorization: String? = nil, hopCount: Int? = 1
    ) throws -> String {
        let head = try HeadParser.parseRequestHead(Array(text.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw NotForwarded()
        }
        var request = ForwardedRequest(head: head, url: url, body: .none)
        request.options.proxied = hopCount.map {
            ForwardedRequest.ProxiedForm(
                authorization: authorization.map { Array($0.utf8) }, hopCount: $0)
        }
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(request, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test
    func `a request to an upstream proxy has an absolute target and only configured credentials`()
        throws
    {
        let text = try written(
            "GET http://a.test:81/x?y HTTP/1.1\r\nHost: a.test:81\r\n"
                + "Proxy-Authorization: Basic eDp5\r\nAccept: */*\r\n\r\n",
            authorization: "Basic bWU6cw==", hopCount: 2)
        #expect(
            text == "GET http://a.test:81/x?y HTTP/1.1\r\nHost: a.test:81\r\nAccept: */*\r\n"
                + "Connection: Proxyd-Hops\r\nProxyd-Hops: 2\r\n"
                + "Proxy-Authorization: Basic bWU6cw==\r\n\r\n")
    }

    @Test func `a client's hop count field is not forwarded, whether or not Connection names it`()
        throws
    {
        for connection in ["", "Connection: proxyd-hops\r\n"] {
            let request =
                "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\(connection)"
                + "PROXYD-hops: 5\r\nProxyd-Hopt: 6\r\n\r\n"
            #expect(
                try written(request, hopCount: nil)
                    == "GET / HTTP/1.1\r\nHost: a.test\r\nProxyd-Hopt: 6\r\n\r\n")
            #expect(
                try written(request, hopCount: 6)
                    == "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"
                    + (connection.isEmpty ? "" : "Connection: Proxyd-Hops\r\n")
                    + "Proxyd-Hopt: 6\r\n"
                    + (connection.isEmpty ? "Connection: Proxyd-Hops\r\n" : "")
                    + "Proxyd-Hops: 6\r\n\r\n")
        }
    }

    @Test
    func `OPTIONS with an absolute target without a path is sent to an upstream proxy unchanged`()
        throws
    {
        let text = try written("OPTIONS http://a.test HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(text.hasPrefix("OPTIONS http://a.test HTTP/1.1\r\n"))
    }

    @Test(arguments: [(nil, 0), ("3", 3), ("255", 255), ("256", 255), ("x", 255)])
    func `a request's hop count is 0 if the field is missing, 255 if it is too large or invalid`(
        value: String?, count: Int
    ) {
        let fields = HeaderFields(value.map { [("proxyd-hops", $0)] } ?? [])
        #expect(HopCount.received(fields) == count)
    }
}

/// How many proxies a request says that it has passed through.
struct HopCountTests {
    @Test(arguments: [
        ("0", 0), ("3", 3), ("255", 255), ("256", 255), ("999", 255), ("-1", 255), ("", 255),
        ("3, 4", 255), ("18446744073709551616", 255), ("x", 255),
    ])
    func `a hop count above 255 or one that is not a number is read as 255`(
        text: String, count: Int
    ) {
        let received = HopCount.received(HeaderFields([("Proxyd-Hops", text)]))
        #expect(received == count)
        #expect(received + 1 > count)
    }

    @Test func `a request without a hop count field has a hop count of zero`() {
        #expect(HopCount.received(HeaderFields()) == 0)
    }
}
