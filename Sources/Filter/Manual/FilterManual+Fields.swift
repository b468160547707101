internal import ProxydHTTPModel

extension FilterManual {
    /// The possible values of `proto`.
    static let protocols = ExchangeProtocol.allCases.map(\.rawValue)

    static let requestFields = FilterSection(
        "Fields of the request", nil,
        [
            FilterEntry(
                .method, .equals, "the method", .init("method=POST", "POST requests"),
                .init("method:put", "PUT requests, in any letter case")),
            FilterEntry(
                .url, .contains, "the whole URL, as shown by list",
                .init("url~^https://", "URLs with the scheme https")),
            FilterEntry(
                .scheme, .equals, "http, https, or tunnel for CONNECT",
                values: ["https", "http", "tunnel"],
                .init("scheme=https", "requests sent over TLS")),
            FilterEntry(
                .host, .contains, "the host as the client sent it; = ignores case and a final dot",
                .init("host:shop", "hosts with shop in their name")),
            FilterEntry(
                .port, .equals, "the port; the scheme's default if the URL has none",
                .init("port=8443", "port 8443")),
            FilterEntry(
                .path, .contains, "the path as the client sent it",
                .init("path=/login", "exactly the path /login")),
            FilterEntry(
                .query, .contains, "the query after the ? of the URL, as the client sent it",
                .init("query:page=", "queries with page= in them")),
            FilterEntry(
                .param, .equals,
                "the value of a parameter from the query, a form, a multipart body or JSON; in "
                    + "JSON, NAME is a path such as a.x[2].y",
                .init("param.user=alice", "a form or query with user=alice"),
                .init("param.items[0].name=tea", "JSON like {\"items\": [{\"name\": \"tea\"}]}"),
                .init("param.q:\"\"", "any request with a parameter q")),
        ])

    static let responseFields = FilterSection(
        "Fields of the response", nil,
        [
            FilterEntry(
                .status, .equals,
                "the status code that the client received; 4xx is the whole class",
                values: ["2xx", "3xx", "4xx", "5xx"],
                .init("status=404", "responses with status 404"),
                .init("status>=500", "server errors, including proxyd's own 502")),
            FilterEntry(
                .receivedStatus, .equals,
                "the status code that the server sent, where the client received another one, or "
                    + "nothing, because of a rule",
                values: ["2xx", "3xx", "4xx", "5xx"],
                .init("received_status=200 status>=500", "successes that a rule made errors")),
            FilterEntry(
                .resjson, .equals,
                "the value at the path NAME, such as a.x[2].y, in the response's JSON",
                .init("resjson.price=12", "JSON like {\"price\": 12}"),
                .init("resjson.items[0].name:\"\"", "JSON with a first item that has a name")),
            FilterEntry(
                .refused, .contains, "the reason why a response was refused instead of forwarded",
                .init("refused:chunk", "responses with broken chunks"),
                .init("refused:\"\"", "every refused response")),
            FilterEntry(
                .repaired, .contains, "what was repaired in a response before it was forwarded",
                .init("repaired:\"line feed\"", "lines ended by a bare line feed"),
                .init("repaired:\"\"", "every repaired response")),
        ])

    static let messageFields = FilterSection(
        "Fields of either message",
        "Content codings such as gzip, and charsets, are decoded before bodies are searched.",
        [
            FilterEntry(
                .type, .contains, "the content type of the request or the response",
                .init("type:json", "exchanges with JSON on either side")),
            FilterEntry(
                .header, .contains,
                "a header field of either message, by its name in any letter case",
                .init("header.content-type:json", "a Content-Type with json in it"),
                .init("header.x-request-id:\"\"", "any message with this field")),
            FilterEntry(
                .reqheader, .contains, "a header field of the request",
                .init("reqheader.user-agent:curl", "requests that curl sent")),
            FilterEntry(
                .resheader, .contains, "a header field of the response, as the server sent it",
                .init("resheader.location:\"\"", "responses with a Location field")),
            FilterEntry(
                .trailer, .contains, "a trailer field of either message",
                .init("trailer.grpc-status:\"\"", "messages with this trailer field")),
            FilterEntry(
                .body, .contains, "the body of the request or the response",
                .init("body:coffee", "coffee in a body")),
            FilterEntry(
                .reqbody, .contains, "the body of the request",
                .init("reqbody:alice", "requests with alice in their body")),
            FilterEntry(
                .resbody, .contains, "the body of the response, as the server sent it",
                .init("resbody~\"price.: [0-9]+\"", "responses with a price")),
            FilterEntry(
                .reqsize, .greater, "the size of the request's body in bytes, as sent",
                .init("reqsize>0", "requests with a body")),
            FilterEntry(
                .size, .greater, "the size of the response's body in bytes, as sent",
                .init("size>10k", "more than 10,000 bytes")),
        ])

    static let courseFields = FilterSection(
        "Fields of the exchange", nil,
        [
            FilterEntry(
                .time, .greater, "when it started", .init("time>-15m", "in the last 15 minutes"),
                .init("time=2026-11-20T10:15Z", "within this minute, in UTC")),
            FilterEntry(
                .duration, .greater,
                "the duration from the first byte to the last, without the time in holds",
                .init("duration>1s", "longer than a second")),
            FilterEntry(
                .held, .greater, "how long its messages were held at breakpoints, all together",
                .init("held>10s", "held for more than 10 seconds")),
            FilterEntry(
                .state, .equals, "active until it ends, then complete, failed or tunnel",
                values: ["active", "complete", "failed", "tunnel"],
                .init("state=failed", "failed exchanges")),
            FilterEntry(
                .error, .contains, "the error: whose fault, which kind, and the message",
                .init("error:certificate", "rejected certificates"),
                .init("error~^upstream", "failures on the server's side")),
            FilterEntry(
                .rule, .equals, "the name of a rule that applied",
                .init("rule=staging", "exchanges to which the rule staging applied"),
                .init("rule:\"\"", "every exchange to which a rule applied")),
            FilterEntry(
                .proto, .equals,
                "h1, h2, h2c (HTTP/2 without TLS), h3, ws, grpc, grpcweb, sse (server-sent events) "
                    + "or tunnel; the first four also match what is carried over them",
                values: protocols, .init("proto=h2", "HTTP/2, and gRPC over it"),
                .init("proto=ws", "WebSocket connections")),
            FilterEntry(
                .stream, .equals, "the number of the client's HTTP/2 stream",
                .init("stream=5", "the third request of each connection")),
            FilterEntry(
                .reset, .equals, "the error code of an HTTP/2 stream reset, by name or number",
                .init("h2.reset=CANCEL", "requests that the client cancelled"),
                .init("h2.reset:\"\"", "every reset stream")),
            FilterEntry(
                .client, .contains,
                "the client's address and port, or the address in its PROXY header",
                .init("client:127.0.0.1:", "requests from programs on this machine over IPv4")),
            FilterEntry(
                .process, .equals, "the name of the program on this machine that sent it",
                .init("process=curl", "requests that curl sent")),
            FilterEntry(
                .user, .equals, "the user name with which the client authenticated to the proxy",
                .init("user=alice", "requests from the user alice")),
            FilterEntry(
                .listener, .equals, "the listener that the client connected to",
                .init("listener=office", "requests that came through the listener office")),
            FilterEntry(
                .upstream, .equals, "the upstream proxy through which the server was reached",
                .init("upstream=corp", "requests sent through the upstream proxy corp")),
            FilterEntry(
                .id, .equals, "the exchange's number; in a central store, write STORE:NUMBER",
                .init("id=3", "exchange 3"), .init("id>=7", "exchange 7 and later ones"),
                .init("id=ci-17:4711", "exchange 4711 of the store ci-17")),
            FilterEntry(
                .store, .equals,
                "the name of the store that recorded it; known only in a central store",
                .init("store=ci-17", "exchanges of the store ci-17"),
                .init("store:ci", "stores with ci in their names")),
        ])

    static let markFields = FilterSection(
        "Fields that users set",
        "Set with proxyctl mark, in the terminal interface or on the web page.",
        [
            FilterEntry(
                .tag, .equals, "one of its tags", .init("tag=slow", "exchanges with the tag slow")),
            FilterEntry(.note, .contains, "its note", .init("note:ask", "notes with ask in them")),
            FilterEntry(
                .pinned, .equals, "whether it is pinned: yes or no, or true or false",
                values: ["yes", "no"], .init("pinned=yes", "pinned exchanges"),
                .init("pinned:no", "exchanges that are not pinned")),
        ])

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
                .webSocket, .contains, "the text of a WebSocket message, including control frames",
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

    /// Filters that select messages of one exchange. They are not part of `sections`, whose
    /// examples select exchanges.
    public static let messageFilters = FilterSection(
        "Message filters",
        "proxyctl messages ID FILTER selects messages of one exchange. Words and "
            + "tests are written and joined as above; a word is searched for in a message's text. "
            + "The fields are these.",
        [
            FilterEntry(
                "text",
                "the text; for a close frame its reason, for an event its lines with field names",
                .init("apples", "messages with apples in them"),
                .init("text~\"^\\{\"", "messages that start like a JSON object")),
            FilterEntry(
                "kind",
                "the kind: "
                    + MessageRecord.Kind.allCases.map(\.name).joined(separator: ", "),
                .init("kind=text", "WebSocket text messages"),
                .init("not (kind=ping or kind=pong)", "everything except pings and pongs")),
            FilterEntry(
                "direction", "the direction: to_server or to_client; dir for short",
                .init("dir=to_client", "what the server sent")),
            FilterEntry(
                "bytes", "the length in bytes after decompression",
                .init("bytes>10k", "messages of more than 10,000 bytes")),
            FilterEntry(
                "event", "the type of a server-sent event; \"message\" if it has none",
                .init("event=price", "events of type price")),
            FilterEntry(
                "id", "the id of a server-sent event", .init("id=7", "the event with id 7")),
            FilterEntry(
                "data", "the data of a server-sent event, with its lines joined",
                .init("data:apples", "events with apples in their data")),
            FilterEntry(
                "code", "the code of a close frame; 1005 if it has none",
                .init("code>1000", "close frames with a code other than 1000 (normal closure)")),
            FilterEntry(
                "problem", "the protocol rule that it violates",
                .init("problem:\"\"", "messages that violate a rule")),
        ])
}
