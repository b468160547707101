import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Each field, with a row that has what is sought and rows that do not.
@Suite struct FilterFieldTests {
    private typealias Change = (inout FilterRow) -> Void

    /// A filter, a row that matches, and one that does not; the default row does not either.
    private static func expect(
        _ text: String, _ found: @escaping Change, not missed: @escaping Change = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let filter = try Filter.parse(text, now: 0)
        #expect(
            filter.matches(FilterRow.with(found)), "\(text)", sourceLocation: sourceLocation)
        #expect(
            !filter.matches(FilterRow.with(missed)), "not \(text)", sourceLocation: sourceLocation)
        #expect(
            try !Filter.parse("not (\(text))", now: 0).matches(FilterRow.with(found)),
            "\(text)", sourceLocation: sourceLocation)
    }

    @Test
    func `a filter can test the method, scheme, host, port, path, query and URL of a request`()
        throws
    {
        try Self.expect("method=POST", { $0.texts[.method] = "POST" })
        try Self.expect(
            "method=POST", { $0.texts[.method] = "POST" }, not: { $0.texts[.method] = "post" })
        try Self.expect("method:put", { $0.texts[.method] = "PUT" })
        try Self.expect("scheme=https", { $0.texts[.scheme] = "https" })
        try Self.expect("host:SHOP", { $0.texts[.host] = "my.shop.test" })
        try Self.expect(
            "host=shop.test", { $0.texts[.host] = "Shop.Test." },
            not: { $0.texts[.host] = "a.shop.test" })
        try Self.expect("port=8443", { $0.numbers[.port] = 8_443 })
        try Self.expect(
            "port>1000", { $0.numbers[.port] = 1_001 }, not: { $0.numbers[.port] = 1_000 })
        try Self.expect(
            "path=/login", { $0.texts[.path] = "/login" }, not: { $0.texts[.path] = "/Login" })
        try Self.expect(
            "path~^/v[0-9]+/", { $0.texts[.path] = "/v12/a" }, not: { $0.texts[.path] = "/v/1" })
        try Self.expect("query:page=", { $0.texts[.query] = "a&page=2" })
        try Self.expect("query:\"\"", { $0.texts[.query] = "" })
        try Self.expect(
            "url=http://example.com:81/a?b",
            { row in
                row.numbers[.port] = 81
                row.texts[.path] = "/a"
                row.texts[.query] = "b"
            })
        try Self.expect("login", { $0.texts[.path] = "/LOGIN" })
    }

    @Test func `a filter can test parameters by name`() throws {
        try Self.expect(
            "param.q:\"\"", { $0.parameters = [("q", "")] }, not: { $0.parameters = [("Q", "")] })
        try Self.expect(
            "param.user=alice", { $0.parameters = [("user", "bob"), ("user", "alice")] },
            not: { $0.parameters = [("user", "Alice"), ("name", "alice")] })
        try Self.expect("param.items[0].name~^t", { $0.parameters = [("items[0].name", "tea")] })
    }

    @Test
    func `a filter can test a response's status, its JSON and why it was refused or repaired`()
        throws
    {
        try Self.expect("status=404", { $0.numbers[.status] = 404 })
        try Self.expect(
            "status=4xx", { $0.numbers[.status] = 499 }, not: { $0.numbers[.status] = 500 })
        try Self.expect(
            "status>=500", { $0.numbers[.status] = 500 }, not: { $0.numbers[.status] = 499 })
        try Self.expect("status!=200", { $0.numbers[.status] = nil })
        try Self.expect("refused:chunk", { $0.texts[.refused] = "a broken CHUNK" })
        try Self.expect("repaired:\"\"", { $0.texts[.repaired] = "bare line feed" })
        try Self.expect(
            "resjson.a.b=1", { $0.responseLeaves = [("a.b", "2"), ("a.b", "1")] },
            not: { $0.responseLeaves = [("a", "1")] })
        try Self.expect("resjson.a:\"\"", { $0.responseLeaves = [("a", "")] })
    }

    @Test
    func `a filter can test the type, header, trailers, body and size of request or response`()
        throws
    {
        for side in [FilterTextColumn.requestType, .responseType] {
            try Self.expect("type:json", { $0.texts[side] = "application/JSON" })
        }
        for side in FilterSide.allCases {
            try Self.expect(
                "header.x-id=7", { $0.headers[side] = [("X-ID", "1"), ("x-id", "7")] },
                not: { $0.headers[side] = [("X-ID-2", "7")] })
            try Self.expect("trailer.t:\"\"", { $0.trailers[side] = [("T", "")] })
            try Self.expect("body:coffee", { $0.bodies[side] = Array("more Coffee".utf8) })
            try Self.expect(
                "body~^a.c$", { $0.bodies[side] = Array("abc".utf8) },
                not: { $0.bodies[side] = Array("xabc".utf8) })
        }
        try Self.expect(
            "reqheader.a=1", { $0.headers[.request] = [("A", "1")] },
            not: { $0.headers[.response] = [("A", "1")] })
        try Self.expect(
            "resheader.a=1", { $0.headers[.response] = [("A", "1")] },
            not: { $0.headers[.request] = [("A", "1")] })
        try Self.expect(
            "reqbody:x", { $0.bodies[.request] = [0x58] }, not: { $0.bodies[.response] = [0x58] })
        try Self.expect(
            "resbody:x", { $0.bodies[.response] = [0x58] }, not: { $0.bodies[.request] = [0x58] })
        try Self.expect(
            "reqsize>0", { $0.numbers[.requestSize] = 1 }, not: { $0.numbers[.responseSize] = 1 })
        try Self.expect(
            "size>10k", { $0.numbers[.responseSize] = 10_001 },
            not: { $0.numbers[.responseSize] = 10_000 })
        try Self.expect(
            "size>=10Ki", { $0.numbers[.responseSize] = 10_240 },
            not: { $0.numbers[.responseSize] = 10_239 })
    }

    @Test
    func `a filter can test the duration, state, rules, client and other facts of an exchange`()
        throws
    {
        try Self.expect(
            "duration>1s", { $0.numbers[.duration] = 1_000_000_001 },
            not: { $0.numbers[.duration] = 1_000_000_000 })
        try Self.expect("duration<=250ms", { $0.numbers[.duration] = 250_000_000 })
        try Self.expect("state=failed", { $0.texts[.state] = "failed" })
        try Self.expect("error:certificate", { $0.texts[.error] = "upstream certificate: expired" })
        try Self.expect(
            "rule=a", { $0.appliedRules = ["b", "a"] }, not: { $0.appliedRules = ["A"] })
        try Self.expect("stream=5", { $0.numbers[.stream] = 5 })
        try Self.expect("h2.reset=CANCEL", { $0.texts[.reset] = "CANCEL" })
        try Self.expect("client:127.0.0.1:", { $0.texts[.client] = "127.0.0.1:5000" })
        try Self.expect("client:192.0.2.1", { $0.texts[.namedClient] = "192.0.2.1:9" })
        try Self.expect("process=curl", { $0.texts[.process] = "curl" })
        try Self.expect("user=alice", { $0.texts[.user] = "alice" })
        try Self.expect("listener=office", { $0.texts[.listener] = "office" })
        try Self.expect("upstream=corp", { $0.texts[.upstream] = "corp" })
        try Self.expect("id>=7", { $0.id = 7 }, not: { $0.id = 6 })
        try Self.expect("store:ci", { $0.texts[.store] = "ci-17" })
        try Self.expect(
            "id=ci-17:4711",
            {
                $0.texts[.store] = "ci-17"
                $0.id = 4_711
            }, not: { $0.id = 4_711 })
    }

    @Test func `a filter can test the HTTP version and the protocol carried over it`() throws {
        let versions: [(String, Int64, String)] = [
            ("h1", 11, "http"), ("h2", 20, "https"), ("h2c", 20, "http"),
        ]
        for (name, version, scheme) in versions {
            try Self.expect(
                "proto=\(name)",
                {
                    $0.version = version
                    $0.texts[.scheme] = scheme
                })
            // A call over it is found as well.
            try Self.expect(
                "proto=\(name)",
                {
                    $0.version = version
                    $0.texts[.scheme] = scheme
                    $0.texts[.requestType] = "application/grpc"
                })
        }
        try Self.expect("proto=grpc", { $0.texts[.requestType] = "application/grpc" })
        try Self.expect("proto=grpcweb", { $0.texts[.requestType] = "application/grpc-web" })
        try Self.expect("proto=ws", { $0.texts[.upgradedTo] = "websocket" })
        try Self.expect("proto=sse", { $0.texts[.responseType] = "text/event-stream" })
        try Self.expect("proto=tunnel", { $0.texts[.state] = "tunnel" })
    }

    @Test func `a filter can test the messages of WebSockets and event streams`() throws {
        let socket: Change = { row in
            row.texts[.upgradedTo] = "websocket"
            row.messages = [.init(.text, "Hello"), .init(.text, "there", .toClient)]
        }
        let events: Change = { row in
            row.texts[.responseType] = "text/event-stream"
            row.messages = [.init(.event, "event: price\nid: 7\ndata: apples", .toClient)]
        }
        try Self.expect("msg:hello", socket, not: events)
        try Self.expect("msg.count>=2", socket, not: events)
        try Self.expect("ws:hello", socket, not: events)
        try Self.expect("ws.out:hello", socket)
        try Self.expect("ws.in:there", socket)
        try Self.expect("ws.count=2", socket)
        try Self.expect(
            "ws.close=1000",
            {
                $0.texts[.upgradedTo] = "websocket"
                $0.messages = [.init(.close, [3, 0xE8])]
            },
            not: {
                $0.texts[.upgradedTo] = "websocket"
                $0.messages = [.init(.close, [3, 0xE9])]
            })
        try Self.expect("sse.event=price", events, not: socket)
        try Self.expect("sse.data:apples", events, not: socket)
        try Self.expect("sse.id=7", events, not: socket)
    }

    @Test func `a filter can test gRPC calls and GraphQL operations`() throws {
        let call: Change = { row in
            row.texts[.requestType] = "application/grpc"
            row.texts[.path] = "/shop.Greeter/SayHello"
            row.numbers[.grpcStatus] = 5
        }
        try Self.expect("grpc.status=NOT_FOUND", call)
        try Self.expect("grpc.status=5", call)
        try Self.expect("grpc.status>0", call)
        try Self.expect("grpc.service:greeter", call)
        try Self.expect("grpc.method=SayHello", call)
        try Self.expect(
            "graphql.operation=Basket",
            {
                $0.graphQLOperations = [.init(type: "query", name: "Basket")]
            }, not: { $0.graphQLOperations = [.init(type: "query", name: "basket")] })
        try Self.expect(
            "graphql.type=mutation",
            {
                $0.graphQLOperations = [
                    .init(type: "query", name: ""), .init(type: "mutation", name: ""),
                ]
            })
    }

    @Test func `a filter can test the tags, notes and pins that users set`() throws {
        try Self.expect("tag=slow", { $0.tags = ["x", "slow"] }, not: { $0.tags = ["slower"] })
        try Self.expect("note:ask", { $0.texts[.note] = "Ask Ann" })
        try Self.expect("pinned=yes", { $0.numbers[.pinned] = 1 }, not: { $0.numbers[.pinned] = 0 })
        try Self.expect("pinned:no", { $0.numbers[.pinned] = 0 }, not: { $0.numbers[.pinned] = 1 })
        try Self.expect("~marked", { $0.tags = ["a"] })
        try Self.expect("~marked", { $0.texts[.note] = "a" })
        try Self.expect("~marked", { $0.numbers[.pinned] = 1 })
    }
}
