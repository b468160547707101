internal import ProxydHTTPModel

extension FilterManual {
    /// The possible values of `proto`.
    static let protocols = ExchangeProtocol.allCases.map(\.rawValue)

    static let requestFields = FilterSection(
        "Fields of the request", nil,
        [
            FilterEntry(
                .method, .equals, "the method",
                .init("method=POST", "POST requests"),
                .init("method:put", "PUT requests, whatever the case")),
            FilterEntry(
                .url, .contains, "the whole URL, as list shows it",
                .init("url~^https://", "URLs with the scheme https")),
            FilterEntry(
                .scheme, .equals, "http, https, or tunnel of a CONNECT",
                values: ["https", "http", "tunnel"],
                .init("scheme=https", "what was sent over TLS")),
            FilterEntry(
                .host, .contains,
                "the host as the client wrote it; = minds neither case nor a final dot",
                .init("host:shop", "hosts with shop in their name")),
            FilterEntry(
                .port, .equals, "the port, that of the scheme where the URL names none",
                .init("port=8443", "the port 8443")),
            FilterEntry(
                .path, .contains, "the path as the client wrote it",
                .init("path=/login", "the path /login and no other")),
            FilterEntry(
                .query, .contains, "what follows the ? of the URL, as the client wrote it",
                .init("query:page=", "queries with page= in them")),
            FilterEntry(
                .param, .equals,
                "the value of a parameter: of the query, a form, a multipart body or JSON, whose "
                    + "names are written as a.x[2].y",
                .init("param.user=alice", "a form or query with user=alice"),
                .init("param.items[0].name=tea", "JSON like {\"items\": [{\"name\": \"tea\"}]}"),
                .init("param.q:\"\"", "any request with a parameter q")),
        ])

    static let responseFields = FilterSection(
        "Fields of the response", nil,
        [
            FilterEntry(
                .status, .equals, "the status code that the client got; 4xx is a whole class",
                values: ["2xx", "3xx", "4xx", "5xx"],
                .init("status=404", "what was not found"),
                .init("status>=500", "server errors, our own 502 among them")),
            FilterEntry(
                .resjson, .equals,
                "a value of the response's JSON, whose names are written as a.x[2].y",
                .init("resjson.price=12", "JSON like {\"price\": 12}"),
                .init("resjson.items[0].name:\"\"", "JSON with a first item that has a name")),
            FilterEntry(
                .refused, .contains, "why what the server sent was not passed on",
                .init("refused:chunk", "responses with broken chunks"),
                .init("refused:\"\"", "every response that was refused")),
            FilterEntry(
                .repaired, .contains, "what was mended in the response before it went on",
                .init("repaired:\"line feed\"", "lines that ended in a bare line feed"),
                .init("repaired:\"\"", "every response that was mended")),
        ])

    static let messageFields = FilterSection(
        "Fields of either message",
        "Bodies are searched with gzip and other content codings undone.",
        [
            FilterEntry(
                .type, .contains, "the content type of the request or the response",
                .init("type:json", "exchanges with JSON on either side")),
            FilterEntry(
                .header, .contains, "a header field, by its name in any case, of either message",
                .init("header.content-type:json", "a Content-Type with json in it"),
                .init("header.x-request-id:\"\"", "any message with that field")),
            FilterEntry(
                .reqheader, .contains, "a header field of the request",
                .init("reqheader.user-agent:curl", "what curl says it sent")),
            FilterEntry(
                .resheader, .contains, "a header field of the response",
                .init("resheader.location:\"\"", "responses that redirect")),
            FilterEntry(
                .trailer, .contains, "a field of the trailer section of either message",
                .init("trailer.grpc-status:\"\"", "messages that end with that field")),
            FilterEntry(
                .body, .contains, "the body of the request or the response",
                .init("body:coffee", "coffee in a body")),
            FilterEntry(
                .reqbody, .contains, "the body of the request",
                .init("reqbody:alice", "requests with alice in their body")),
            FilterEntry(
                .resbody, .contains, "the body of the response",
                .init("resbody~\"price.: [0-9]+\"", "responses with a price")),
            FilterEntry(
                .reqsize, .greater, "the size of the request's body in bytes, as it was sent",
                .init("reqsize>0", "requests with a body")),
            FilterEntry(
                .size, .greater, "the size of the response's body in bytes, as it was sent",
                .init("size>10k", "more than 10,000 bytes")),
        ])

    static let courseFields = FilterSection(
        "Fields of the exchange", nil,
        [
            FilterEntry(
                .time, .greater, "when it began",
                .init("time>-15m", "in the last quarter of an hour"),
                .init("time=2026-11-20T10:15Z", "in that minute, in UTC")),
            FilterEntry(
                .duration, .greater, "how long it took, from the first byte to the last",
                .init("duration>1s", "longer than a second")),
            FilterEntry(
                .state, .equals, "active while anything may still come, then one of the others",
                values: ["active", "complete", "failed", "tunnel"],
                .init("state=failed", "exchanges that failed")),
            FilterEntry(
                .error, .contains, "why it failed: whose fault, which kind, and the message",
                .init("error:certificate", "certificates that were not accepted"),
                .init("error~^upstream", "failures on the server's side")),
            FilterEntry(
                .rule, .equals, "a rule that applied, by its name",
                .init("rule=staging", "what the rule staging met"),
                .init("rule:\"\"", "every exchange to which a rule applied")),
            FilterEntry(
                .proto, .equals,
                "what was spoken: HTTP/1, HTTP/2, HTTP/2 without TLS, WebSocket, gRPC, gRPC-Web, "
                    + "server-sent events, or a tunnel; the first three find what went over them",
                values: protocols,
                .init("proto=h2", "HTTP/2, and gRPC over it"),
                .init("proto=ws", "WebSocket connections")),
            FilterEntry(
                .stream, .equals, "the number of the client's stream of HTTP/2",
                .init("stream=5", "each connection's third request")),
            FilterEntry(
                .reset, .equals,
                "the code that a stream of HTTP/2 was reset with, by name or number",
                .init("h2.reset=CANCEL", "what a client did not wait for"),
                .init("h2.reset:\"\"", "every reset stream")),
            FilterEntry(
                .client, .contains, "the client's address and port",
                .init("client:127.0.0.1:", "what programs of this machine sent over IPv4")),
            FilterEntry(
                .process, .equals, "the name of the program that sent it, on this machine",
                .init("process=curl", "what curl sent")),
            FilterEntry(
                .id, .equals, "the exchange's number",
                .init("id=3", "exchange 3"), .init("id>=7", "exchange 7 and later ones")),
        ])

    static let markFields = FilterSection(
        "Fields that people set", "With mark, or in the terminal interface.",
        [
            FilterEntry(
                .tag, .equals, "one of its tags", .init("tag=slow", "what was tagged slow")),
            FilterEntry(
                .note, .contains, "its note", .init("note:ask", "notes with ask in them")),
            FilterEntry(
                .pinned, .equals, "whether it is pinned: yes or no (true and false, too)",
                values: ["yes", "no"],
                .init("pinned=yes", "what was pinned"),
                .init("pinned:no", "what was not pinned")),
        ])
}
