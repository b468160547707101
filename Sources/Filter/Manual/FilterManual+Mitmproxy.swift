extension FilterManual {
    static let mitmproxy = FilterSection(
        "mitmproxy's operators",
        "They work as in mitmproxy: regular expressions ignore case and match anywhere.",
        [
            FilterEntry(.u, "the URL", .init("~u /login$", "URLs that end in /login")),
            FilterEntry(.m, "the method", .init("~m put", "PUT requests")),
            FilterEntry(.d, "the host", .init("~d shop", "hosts with shop in their name")),
            FilterEntry(.c, "the status code", .init("~c 404", "responses with status 404")),
            FilterEntry(
                .t, "the content type of either message", .init("~t json", "JSON on either side")),
            FilterEntry(
                .tq, "the content type of the request", .init("~tq form", "requests with a form")),
            FilterEntry(
                .ts, "the content type of the response", .init("~ts image/", "images")),
            FilterEntry(
                .h, "a header line of either message, written as Name: value",
                .init("~h \"^x-request-id: \"", "any message with this field")),
            FilterEntry(
                .hq, "a header line of the request",
                .init("~hq user-agent:.curl", "requests that curl sent")),
            FilterEntry(
                .hs, "a header line of the response",
                .init("~hs ^location:", "responses with a Location field")),
            FilterEntry(
                .b, "the body of either message", .init("~b coffee", "coffee in a body")),
            FilterEntry(
                .bq, "the body of the request", .init("~bq alice", "alice in a request's body")),
            FilterEntry(
                .bs, "the body of the response", .init("~bs coffee", "responses with coffee")),
            FilterEntry(
                .src, "the client's address and port",
                .init("~src ^127\\.", "requests from programs on this machine over IPv4")),
            FilterEntry(
                .dst, "the requested host and port", .init("~dst :8443$", "port 8443")),
            FilterEntry(.comment, "the note", .init("~comment ask", "notes with ask in them")),
            FilterEntry(.q, "without a response", .init("~q", "exchanges without a response")),
            FilterEntry(.s, "with a response", .init("~s", "exchanges with a response")),
            FilterEntry(.e, "failed", .init("~e", "failed exchanges")),
            FilterEntry(
                .a, "style sheets, scripts, images and fonts, by the response's content type",
                .init("~a", "images, scripts and the like"), .init("!~a", "everything else")),
            FilterEntry(
                .marked, "with a tag, a note or a pin",
                .init("~marked", "exchanges that a user marked")),
            FilterEntry(.replay, "replays", .init("~replay", "exchanges recorded by a replay")),
            FilterEntry(.replayq, "replays", .init("~replayq", "exchanges recorded by a replay")),
            FilterEntry(
                .websocket, "upgraded to WebSocket", .init("~websocket", "WebSocket handshakes")),
            FilterEntry(.tcp, "opaque tunnels", .init("~tcp", "tunnels that have ended")),
            FilterEntry(
                .http, "every exchange, tunnels included",
                .init("~http ~d shop", "hosts with shop in their name")),
            FilterEntry(.all, "every exchange", .init("~all", "everything")),
        ])
}
