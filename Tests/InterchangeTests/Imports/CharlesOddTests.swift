import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// Sessions of Charles with members that are missing, or of another type.
struct CharlesOddTests {
    private func entry(_ members: String) throws -> InterchangeReader.WholeEntry {
        let entries = try InterchangeReader.entries(of: Array("[{\(members)}]".utf8))
        #expect(entries.count == 1)
        return try #require(entries.first)
    }

    private func exchange(
        _ members: String = "", request: String = "{}", response: String = #"{"status":204}"#,
        host: String = "a.test", method: String = "GET"
    ) throws -> Exchange {
        try entry(
            #""method":"\#(method)","host":"\#(host)","request":\#(request),"#
                + #""response":\#(response)\#(members)"#
        ).get().exchange
    }

    private func refusal(_ members: String) throws -> String? {
        guard case .failure(let problem) = try entry(members) else { return nil }
        return problem.message
    }

    @Test
    func `a 304 response from Charles is imported without a body even if the session has one`()
        throws
    {
        let cached = try exchange(response: #"{"status":304,"body":{"text":"kept"}}"#)
        #expect(cached.response?.status == 304)
        #expect(cached.response?.body == Body())
        #expect(cached.annotations.tags.contains("missing-body") == false)
    }

    @Test func `the Charles importer accepts numbers written as text and ignores NaN`() throws {
        let odd = try exchange(
            #","durations":{"total":NaN}"#, response: #"{"status":"200","body":{"text":"a"}}"#)
        #expect(odd.response?.status == 200)
        #expect(odd.response?.body.kept == [0x61])
    }

    @Test func `a Charles transaction without a request or a valid URL is rejected`() throws {
        #expect(try refusal("") == "it has no request")
        #expect(try refusal(#""method":"GET""#) == "it has no request")
        #expect(try refusal(#""request":{},"method":7"#) == "it has no request")
        #expect(try refusal(#""request":{},"method":"GET""#) == "its request has no URL")
        #expect(
            try refusal(#""request":{},"method":"GET","host":"""#) == "its request has no URL")
        #expect(
            try refusal(#""request":{},"method":"GET","host":"a.test","port":65536"#) != nil)
        #expect(
            try refusal(#""request":{},"method":"GET","host":"a.test","scheme":"ftp""#) != nil)
    }

    @Test func `the Charles importer assembles a URL from scheme, host, port, path and query`()
        throws
    {
        func url(_ members: String, host: String = "a.test", method: String = "GET") throws
            -> String?
        {
            try exchange(members, host: host, method: method).request.url?.description
        }
        #expect(try url("") == "http://a.test/")
        #expect(try url(#","scheme":"https","port":443"#) == "https://a.test/")
        #expect(try url(#","scheme":"https","actualPort":8443"#) == "https://a.test:8443/")
        #expect(try url(#","port":-1,"path":"/x","query":"""#) == "http://a.test/x?")
        #expect(try url(#","path":"/x","query":null"#) == "http://a.test/x")
        #expect(try url(#","path":"/x","query":"a=b c""#) == "http://a.test/x?a=b%20c")
        #expect(try url(#","port":8080"#, host: "2001:db8::1") == "http://[2001:db8::1]:8080/")
        #expect(try url("", host: "[::1]") == "http://[::1]/")
        #expect(
            try exchange(#","port":8443,"path":null"#, method: "CONNECT").request.url
                == .tunnel(host: "a.test", port: 8_443))
    }

    @Test
    func `the Charles importer appends ports to addresses and puts brackets around IPv6 ones`()
        throws
    {
        func server(_ address: String, _ more: String = "") throws -> String? {
            try exchange(#","remoteAddress":\#(address)\#(more)"#).server?.peerAddress
        }
        #expect(try server(#""a.test/2001:db8::7""#, #","port":443"#) == "[2001:db8::7]:443")
        #expect(
            try server(#""192.0.2.1""#, #","port":443,"actualPort":8443"#) == "192.0.2.1:8443")
        #expect(try server(#""192.0.2.1""#) == "192.0.2.1")
        #expect(try server(#""/""#) == nil)
        #expect(try server(#""a\u0000b""#) == nil)
        #expect(try server("17") == nil)
        let client = try exchange(#","clientAddress":"/127.0.0.1","clientPort":4000"#).client
        #expect(client?.peerAddress == "127.0.0.1:4000")
    }

    @Test func `the Charles importer keeps TLS version, cipher and ALPN of the connection`() throws
    {
        let security = try exchange(
            #","remoteAddress":"192.0.2.1","ssl":{"protocol":"TLSv1.3","cipherSuite":"TLS_X"},"#
                + #""alpn":{"protocol":"h2"}"#
        ).server?.security
        #expect(security?.version == "TLSv1.3")
        #expect(security?.cipher == "TLS_X")
        #expect(security?.alpn == "h2")
        #expect(try exchange(#","remoteAddress":"192.0.2.1""#).server?.security == nil)
    }

    @Test func `the Charles importer takes the reason phrase from the response's first line`()
        throws
    {
        func reason(_ line: String) throws -> String? {
            let header = #"{"status":404,"header":{"firstLine":"\#(line)"}}"#
            return try exchange(response: header).response?.head.reason
        }
        #expect(try reason("HTTP/1.1 404 Not Found At All") == "Not Found At All")
        #expect(try reason("HTTP/1.1 404") == "")
        #expect(try reason(#"HTTP/1.1 404 a\r\nX: y"#) == "")
        #expect(try reason("") == "")
    }

    @Test func `the Charles importer distinguishes a missing body from an empty one`() throws {
        let missing = try exchange(response: #"{"status":200,"sizes":{"body":9},"body":{}}"#)
        #expect(missing.response?.body == Body(byteCount: 9, kept: []))
        #expect(missing.annotations.tags.contains("missing-body"))
        let empty = try exchange(
            response: #"{"status":200,"sizes":{"body":0},"body":{"text":""}}"#)
        #expect(empty.response?.body == Body())
        #expect(!empty.annotations.tags.contains("missing-body"))
        let damaged = try exchange(response: #"{"status":200,"body":{"encoded":"*"}}"#)
        #expect(damaged.response?.body == Body())
        #expect(damaged.annotations.tags.contains("missing-body"))
    }

    @Test
    func `the Charles importer encodes text in its charset, or as UTF-16 if the byte count fits`()
        throws
    {
        let latin = #"{"mimeType":"text/plain; charset=iso-8859-1","body":{"text":"\u00e9"}}"#
        #expect(try exchange(request: latin, method: "POST").request.body.kept == [0xE9])
        let wide = #"{"mimeType":"text/plain","sizes":{"body":4},"body":{"text":"\u00e9"}}"#
        #expect(
            try exchange(request: wide, method: "POST").request.body.kept == [0xFF, 0xFE, 0xE9, 0])
    }

    @Test(arguments: [
        ("COMPLETE", ExchangeState.complete, nil),
        ("EXCEPTION", .failed, "its status is EXCEPTION"),
        ("CONNECTING", .failed, "its status is CONNECTING"),
    ])
    func `a Charles transaction that did not complete is imported as failed`(
        status: String, state: ExchangeState, message: String?
    ) throws {
        let exchange = try exchange(#","status":"\#(status)""#)
        #expect(exchange.state == state)
        #expect(exchange.failure?.message == message)
    }

    @Test
    func `the Charles importer ignores connection phases longer than the wait for the response`()
        throws
    {
        let times =
            #","times":{"start":"2026-11-23T01:00:00Z","#
            + #""requestBegin":"2026-11-23T01:00:00.010Z","#
            + #""responseBegin":"2026-11-23T01:00:00.020Z"}"#
        let long = try exchange(times + #","durations":{"dns":4,"connect":4,"ssl":4}"#).timeline
        #expect(long.dns == nil && long.connect == nil && long.tls == nil)
        let short = try exchange(times + #","durations":{"dns":4,"connect":4,"ssl":-1}"#).timeline
        #expect(short[.connectEnd] == 18_000_000)
        #expect(short.tls == nil)
        let reused = try exchange(times + #","keptAlive":true,"durations":{"dns":4}"#).timeline
        #expect(reused.dns == nil && reused.connectionReused)
    }

    @Test func `the Charles importer ignores times before the start of the transaction`() throws {
        let timeline = try exchange(
            #","times":{"start":"2026-11-23T01:00:00Z","requestBegin":"2026-11-23T00:59:59Z","#
                + #""end":"2026-11-23T01:00:01+00:00"}"#
        ).timeline
        #expect(timeline[.requestFirstByte] == nil)
        #expect(timeline[.delivered] == 1_000_000_000)
    }

    @Test(arguments: ["{}", #"{"log":{}}"#, "]", #""x" [1]"#, ",[1]", "12:[]"])
    func `a JSON document that is not an array is rejected as a Charles session`(text: String)
        throws
    {
        for count in [1, 1 << 20] {
            var reader = InterchangeReader(.chlsj)
            var told: [String] = []
            func take(_ entry: InterchangeReader.Entry) {
                if case .failure(let problem) = entry { told.append(problem.description) }
            }
            for start in stride(from: 0, to: text.utf8.count, by: count) {
                try reader.receive(Array(Array(text.utf8)[start...].prefix(count)), take)
            }
            try reader.finish(take)
            #expect(told == ["it is not an array of transactions"])
        }
    }

    @Test func `the Charles importer finds the same array elements however the file is split`()
        throws
    {
        let transaction =
            #"{"method":"GET","host":"a.test","notes":"]}\"[{,","request":{"x":[[]]}}"#
        let file = "\u{FEFF}[ 17 , \"]\" , [\(transaction)] ,\(transaction), , null ] trailing {\""
        func outcomes(_ count: Int) throws -> [String] {
            try InterchangeReader.entries(of: Array(file.utf8), pieceByteCount: count).map {
                switch $0 {
                case .success(let imported): imported.exchange.annotations.note ?? ""
                case .failure(let problem): problem.description
                }
            }
        }
        let whole = try outcomes(1 << 20)
        #expect(
            whole == [
                "entry 1: it has no request", "entry 2: it has no request",
                "entry 3: it has no request", #"]}"[{,"#, "entry 5: it has no request",
            ])
        for count in [1, 2, 3, 50] { #expect(try outcomes(count) == whole) }
    }
}
