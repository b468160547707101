internal import ProxydHTTPModel

extension FilterManual {
    static let streamFields = FilterSection(
        "Fields of messages",
        "Of WebSockets, server-sent events and gRPC calls. proxyctl messages lists them, and takes "
            + "a filter of its own for them.",
        [
            FilterEntry(
                .msg, .contains, "the text of any message",
                .init("msg:apples", "whatever said apples in a message"),
                .init("msg:\"\"", "every exchange with a message")),
            FilterEntry(
                .messageCount, .greater, "how many messages carried data",
                .init("msg.count>=2", "exchanges with two such messages and more")),
            FilterEntry(
                .webSocket, .contains,
                "the text of a message of a WebSocket, control frames among them",
                .init("ws:hello", "WebSockets over which hello went"),
                .init("ws~^\\{.*\"apples\"", "JSON with apples in it, sent either way")),
            FilterEntry(
                .webSocketOut, .contains, "the same of those from the client",
                .init("ws.out:hello", "clients that said hello")),
            FilterEntry(
                .webSocketIn, .contains, "the same of those from the server",
                .init("ws.in:hello", "servers that said hello")),
            FilterEntry(
                .webSocketCount, .greater, "how many messages with data went over a WebSocket",
                .init("ws.count>2", "WebSockets with more than two messages"),
                .init("ws.count=0", "WebSockets over which nothing was said")),
            FilterEntry(
                .webSocketClose, .equals,
                "the code that either side closed a WebSocket with; 1005 where it gave none, 1006 "
                    + "where the connection ended without",
                values: ["1000", "1001", "1006", "1011"],
                .init("ws.close=1006", "WebSockets whose connection just ended"),
                .init("ws.close>1000", "WebSockets that did not end as usual")),
            FilterEntry(
                .eventName, .equals, "the name of a server-sent event; message where it has none",
                .init("sse.event=price", "streams with an event price")),
            FilterEntry(
                .eventData, .contains, "the data of a server-sent event, its lines joined",
                .init("sse.data:apples", "streams with apples in an event")),
            FilterEntry(
                .eventID, .equals, "the id of a server-sent event",
                .init("sse.id=7", "streams with the event 7")),
        ])

    static let callFields = FilterSection(
        "Fields of calls", "Of gRPC, gRPC-Web and GraphQL.",
        [
            FilterEntry(
                .grpcStatus, .equals, "how a gRPC call ended, by name or number",
                values: GRPCStatus.defined.map(\.name),
                .init("grpc.status=NOT_FOUND", "calls that found nothing"),
                .init("grpc.status>0", "calls that failed")),
            FilterEntry(
                .grpcService, .contains, "the service with its package, out of the path",
                .init("grpc.service:Greeter", "calls of a Greeter")),
            FilterEntry(
                .grpcMethod, .equals, "the method, out of the path",
                .init("grpc.method=SayHello", "calls of SayHello")),
            FilterEntry(
                .grpcMessage, .contains, "what the server said about the status, decoded",
                .init("grpc.message:\"no such\"", "calls that were told no such thing")),
            FilterEntry(
                .graphQLOperation, .equals, "the name of an operation of GraphQL",
                .init("graphql.operation=Basket", "the operation Basket"),
                .init("graphql.operation:\"\"", "all GraphQL")),
            FilterEntry(
                .graphQLType, .equals, "what an operation of GraphQL is",
                values: ["query", "mutation", "subscription"],
                .init("graphql.type=mutation", "what changes something")),
        ])
}
