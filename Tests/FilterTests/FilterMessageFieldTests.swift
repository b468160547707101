import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Fields of messages and calls: WebSockets, server-sent events, gRPC and GraphQL.
@Suite struct FilterMessageFieldTests {
    private static let webSocket = FilterRow.with { row in
        row.texts[.upgradedTo] = "websocket"
        row.messages = [
            .init(.text, "hello apples"), .init(.binary, "Pears", .toClient),
            .init(.ping, "beat"), .init(.close, [3, 0xE9], .toClient),
        ]
    }

    @Test(arguments: [
        ("msg:APPLES", true), ("msg:pears", true), ("msg:plums", false), ("msg=Pears", true),
        ("msg=pears", false), ("msg~^hello", true), ("msg:\"\"", true), ("msg.count=2", true),
        ("msg.count>2", false), ("ws:apples", true), ("ws:beat", true), ("ws.out:apples", true),
        ("ws.out:pears", false), ("ws.in:pears", true), ("ws.in:apples", false),
        ("ws.out~^hello.*s$", true), ("ws.count=2", true), ("ws.count<2", false),
        ("ws.close=1001", true), ("ws.close>1000", true), ("ws.close=1000", false),
        ("ws.close:\"\"", true), ("ws!:plums", true), ("ws.out!:apples", false),
        ("proto=ws", true), ("proto=sse", false), ("sse.data:apples", false),
        ("grpc.status=0", false), ("not ws:apples", false), ("ws:hello ws:pears", true),
    ])
    func `a filter finds a WebSocket by its messages, their count and its close code`(
        text: String, isFound: Bool
    ) throws {
        #expect(try Filter.parse(text).matches(Self.webSocket) == isFound)
    }

    @Test
    func `in filters, a WebSocket close code is 1006 without a close frame, 1005 without a code`()
        throws
    {
        let cut = FilterRow.with { row in
            row.texts[.upgradedTo] = "websocket"
            row.messages = [.init(.text, "a")]
        }
        let bare = FilterRow.with { row in
            row.texts[.upgradedTo] = "websocket"
            row.messages = [.init(.close, [])]
        }
        #expect(try Filter.parse("ws.close=1006").matches(cut))
        #expect(try !Filter.parse("ws.close=1006").matches(bare))
        #expect(try Filter.parse("ws.close=1005").matches(bare))
        #expect(try !Filter.parse("ws.close=1006").matches(FilterRow()))
        #expect(try Filter.parse("ws.count=0").matches(bare))
    }

    private static let events = FilterRow.with { row in
        row.texts[.responseType] = "text/event-stream"
        row.messages = [
            .init(.event, "event: price\nid: 7\ndata: apples\ndata: 12\n", .toClient),
            .init(.event, "data: bare\n", .toClient), .init(.comment, ": ping", .toClient),
        ]
    }

    @Test(arguments: [
        ("sse.event=price", true), ("sse.event=PRICE", false), ("sse.event:RIC", true),
        ("sse.event=message", true), ("sse.data=\"apples\n12\"", true), ("sse.data:bare", true),
        ("sse.data~^apples$", false), ("sse.id=7", true), ("sse.id=8", false),
        ("sse.id:\"\"", true), ("proto=sse", true), ("msg.count=2", true), ("ws:apples", false),
        ("ws.count=0", false), ("msg:data", true),
    ])
    func `a filter finds an event stream by its events`(text: String, isFound: Bool) throws {
        #expect(try Filter.parse(text).matches(Self.events) == isFound)
    }

    private static let call = FilterRow.with { row in
        row.version = 20
        row.texts[.scheme] = "https"
        row.texts[.path] = "/shop.v1.Greeter/SayHello"
        row.texts[.requestType] = "application/grpc+proto"
        row.numbers[.grpcStatus] = 5
        row.trailers = [.response: [("grpc-status", "5"), ("grpc-message", "no%20such")]]
        row.messages = [.init(.grpc, "\u{8}\u{1}")]
    }

    @Test(arguments: [
        ("grpc.status=5", true), ("grpc.status=NOT_FOUND", true), ("grpc.status=not_found", true),
        ("grpc.status:FOUND", true), ("grpc.status>0", true), ("grpc.status=OK", false),
        ("grpc.service=shop.v1.Greeter", true), ("grpc.service:greeter", true),
        ("grpc.service~^shop\\.", true), ("grpc.method=SayHello", true),
        ("grpc.method=sayhello", false), ("grpc.message:\"no such\"", true),
        ("trailer.grpc-status=5", true), ("trailer.grpc-status:\"\"", true),
        ("trailer.other:\"\"", false), ("proto=grpc", true), ("proto=h2", true),
        ("proto=h1", false), ("proto=ws", false), ("msg.count=1", true),
    ])
    func `a filter finds a gRPC call by its path, its status and its messages`(
        text: String, isFound: Bool
    ) throws {
        #expect(try Filter.parse(text).matches(Self.call) == isFound)
    }

    @Test(arguments: [
        ("/a.B/C", "application/grpc", "a.B", "C"), ("/a/b/C", "application/grpc", "a/b", "C"),
        ("/a/", "APPLICATION/GRPC-web", "a", ""), ("//C", "application/grpc", "", "C"),
    ])
    func `the path of a gRPC call is split into service and method at its last slash`(
        path: String, type: String, service: String, method: String
    ) {
        let found = GRPCPath(path: path, requestType: type)
        #expect(found?.service == service && found?.method == method)
    }

    @Test(arguments: [
        ("/C", "application/grpc"), ("a/b", "application/grpc"), ("", "application/grpc"),
        ("/a/b", "application/json"), ("/a/b", "text/grpc"),
    ])
    func `a request whose path or media type is not that of gRPC is not treated as a gRPC call`(
        path: String, type: String
    ) {
        #expect(GRPCPath(path: path, requestType: type) == nil)
        #expect(GRPCPath(path: nil, requestType: type) == nil)
        #expect(GRPCPath(path: path, requestType: nil) == nil)
    }

    @Test(arguments: [
        ("graphql.operation=Basket", true), ("graphql.operation=basket", false),
        ("graphql.operation:BASK", true), ("graphql.operation:\"\"", true),
        ("graphql.type=mutation", true), ("graphql.type=query", true),
        ("graphql.type=subscription", false), ("graphql.operation~^Add", true),
        ("graphql.operation!=Basket", false),
    ])
    func `a filter finds a GraphQL batch by any of its operations`(text: String, isFound: Bool)
        throws
    {
        let row = FilterRow.with { row in
            row.graphQLOperations = [
                .init(type: "query", name: "Basket"), .init(type: "mutation", name: "AddItem"),
            ]
        }
        #expect(try Filter.parse(text).matches(row) == isFound)
        #expect(try !Filter.parse("graphql.type:\"\"").matches(FilterRow()))
    }

    @Test(arguments: [
        ("proto=h1", [true, false, false, false]), ("proto=h2", [false, true, true, false]),
        ("proto=h2c", [false, false, true, false]), ("proto=tunnel", [false, false, false, true]),
        ("proto!=h1", [false, true, true, true]),
    ])
    func `a filter on the protocol distinguishes h1, h2, h2c and tunnels`(
        text: String, wanted: [Bool]
    ) throws {
        let rows = [
            FilterRow.with { $0.version = 11 },
            FilterRow.with { row in
                row.version = 20
                row.texts[.scheme] = "https"
            },
            FilterRow.with { $0.version = 20 },
            FilterRow.with { $0.texts[.state] = "tunnel" },
        ]
        let filter = try Filter.parse(text)
        #expect(rows.map(filter.matches) == wanted)
    }
}
