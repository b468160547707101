internal import ProxydHTTPModel

extension FilterManual {
    static let streamFields = FilterSection(
        "Fields of messages",
        "For WebSockets, server-sent events and gRPC calls. The command \"proxyctl messages\" "
            + "lists the messages, and filters them by fields of its own.",
        [
            FilterEntry(
                .msg, .contains, "the text of any message",
                .init("msg:apples", "exchanges with apples in a message"),
                .init("msg:\"\"", "every exchange with a message")),
            FilterEntry(
                .messageCount, .greater, "how many messages carried data",
                .init("msg.count>=2", "exchanges with two or more such messages")),
            FilterEntry(
                .webSocket, .contains,
                "the text of a WebSocket message, including control frames",
                .init("ws:hello", "WebSockets with hello in a message"),
                .init("ws~^\\{.*\"apples\"", "JSON with apples in it, in either direction")),
            FilterEntry(
                .webSocketOut, .contains, "the same for messages from the client",
                .init("ws.out:hello", "clients that sent hello")),
            FilterEntry(
                .webSocketIn, .contains, "the same for messages from the server",
                .init("ws.in:hello", "servers that sent hello")),
            FilterEntry(
                .webSocketCount, .greater, "how many WebSocket messages carried data",
                .init("ws.count>2", "WebSockets with more than two such messages"),
                .init("ws.count=0", "WebSockets without such messages")),
            FilterEntry(
                .webSocketClose, .equals,
                "the code with which either side closed a WebSocket; 1005 if it gave no code, 1006 "
                    + "if the connection ended without a close frame",
                values: ["1000", "1001", "1006", "1011"],
                .init("ws.close=1006", "WebSockets that ended without a close frame"),
                .init("ws.close>1000", "WebSockets that did not close normally")),
            FilterEntry(
                .eventName, .equals, "the type of a server-sent event; \"message\" if it has none",
                .init("sse.event=price", "streams with an event of type price")),
            FilterEntry(
                .eventData, .contains, "the data of a server-sent event, with its lines joined",
                .init("sse.data:apples", "streams with apples in an event")),
            FilterEntry(
                .eventID, .equals, "the id of a server-sent event",
                .init("sse.id=7", "streams with the event id 7")),
        ])

    static let callFields = FilterSection(
        "Fields of calls", "For gRPC, gRPC-Web and GraphQL.",
        [
            FilterEntry(
                .grpcStatus, .equals, "the status of a gRPC call, by name or number",
                values: GRPCStatus.defined.map(\.name),
                .init("grpc.status=NOT_FOUND", "calls that ended with NOT_FOUND"),
                .init("grpc.status>0", "calls that failed")),
            FilterEntry(
                .grpcService, .contains, "the service with its package, from the path",
                .init("grpc.service:Greeter", "calls to a Greeter")),
            FilterEntry(
                .grpcMethod, .equals, "the method, from the path",
                .init("grpc.method=SayHello", "calls to SayHello")),
            FilterEntry(
                .grpcMessage, .contains, "the server's message about the status, decoded",
                .init(
                    "grpc.message:\"no such\"", "calls whose status message contains \"no such\"")),
            FilterEntry(
                .graphQLOperation, .equals, "the name of a GraphQL operation",
                .init("graphql.operation=Basket", "the operation Basket"),
                .init("graphql.operation:\"\"", "all GraphQL requests")),
            FilterEntry(
                .graphQLType, .equals, "the type of a GraphQL operation",
                values: ["query", "mutation", "subscription"],
                .init("graphql.type=mutation", "GraphQL mutations")),
        ])
}
