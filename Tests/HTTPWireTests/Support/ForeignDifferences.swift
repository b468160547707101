/// Where we differ from the shared collection's answers on purpose, and why.
enum ForeignDifferences {
    struct Difference: Sendable {
        let reason: String
        let weRefuse: Bool
        let ids: [String]
    }

    /// Cases of the strict collection that we answer differently, by id.
    static let strict: [String: Difference] = Dictionary(
        uniqueKeysWithValues: all.flatMap { difference in
            difference.ids.map { ($0, difference) }
        }
    )

    /// Cases that only a lenient parser takes and that we take too.
    static let taken: Set<String> = [
        "request/connection / Setting flag / Resetting flags when keep-alive is off (1.0, lenient)",
        "request/connection / `close` / CRLF between requests, explicit `close` (lenient)",
        "response/connection / HTTP/1.1 with keep-alive disabled and 204 status (lenient)",
        "response/invalid / Invalid space after start line / Only LFs present (lenient)",
        "response/invalid / Invalid space after start line / Only LFs present "
            + "and no body (lenient)",
        "response/sample / No carriage ret (lenient)",
    ]

    private static let all = [
        Difference(
            reason: "Clients take a response with a field name that is no token; its line is "
                + "left out of what goes on.",
            weRefuse: false,
            ids: [
                "response/sample / Spaces in header name"
            ]
        ),
        Difference(
            reason: "Whether anything may follow `Connection: close` is the "
                + "connection owner's decision.",
            weRefuse: false,
            ids: [
                "request/connection / Setting flag / No restart when keep-alive is off (1.0)",
                "request/connection / `close` / CRLF between requests, explicit `close`",
                "request/connection / `close` / CRLF between requests, explicit "
                    + "`close` followed by tab",
                "response/connection / HTTP/1.1 with keep-alive disabled and 204 status",
            ]
        ),
        Difference(
            reason: "An upgrade happens when the server says 101; until then "
                + "what follows is a request.",
            weRefuse: true,
            ids: [
                "request/connection / Parsing multiple tokens / Multiple tokens "
                    + "with folding and LWS",
                "request/connection / `upgrade` / Upgrade GET request",
                "request/connection / `upgrade` / Upgrade POST request",
                "request/method / CONNECT request / PRI request HTTP2",
            ]
        ),
        Difference(
            reason: "Behind a 101 there is a tunnel, not the end of a message.",
            weRefuse: false,
            ids: [
                "response/connection / HTTP 101 response with Upgrade and Transfer-Encoding header",
                "response/connection / HTTP 101 response with Upgrade and Content-Length header",
            ]
        ),
        Difference(
            reason: "An interim response is one event, without an end of its own.",
            weRefuse: false,
            ids: [
                "response/connection / HTTP 103 first, then 200"
            ]
        ),
        Difference(
            reason: "Framing is judged when the head is complete; this one is not.",
            weRefuse: false,
            ids: [
                "request/content-length / Error on `Content-Length` overflow",
                "request/content-length / Error on duplicate `Content-Length`",
            ]
        ),
        Difference(
            reason: "The other parser was told to skip bodies.",
            weRefuse: false,
            ids: [
                "request/content-length / Content-Length reset when no body is received",
                "response/content-length / Content-Length reset when no body is received",
            ]
        ),
        Difference(
            reason: "A proxy forwards methods that it does not know (RFC 9110 §9.1).",
            weRefuse: false,
            ids: [
                "request/invalid / ICE protocol, but not really / HTTP protocol "
                    + "and ANNOUNCE method",
                "request/invalid / ICE protocol, but not really / Invalid method",
            ]
        ),
        Difference(
            reason: "Bytes above 0x7F in a target go on as they came.",
            weRefuse: false,
            ids: ["request/uri / Disallow UTF-8 in URI path in strict mode"]
        ),
        Difference(
            reason: "A body of CONNECT would be a second meaning of the tunnel's bytes.",
            weRefuse: true,
            ids: [
                "request/method / CONNECT request / CONNECT with body"
            ]
        ),
        Difference(
            reason: "We speak HTTP/1.x only.",
            weRefuse: true,
            ids: [
                "request/method / CONNECT request / SOURCE request with ICE",
                "request/method / CONNECT request / OPTIONS request with RTSP",
                "request/method / CONNECT request / ANNOUNCE request with RTSP",
                "request/sample / No HTTP version",
                "response/sample / RTSP response",
                "response/sample / ICE response",
                "response/sample / HTTP version 0.9",
            ]
        ),
        Difference(
            reason: "A quote inside a quoted extension ends it unless it is "
                + "escaped; this one is not.",
            weRefuse: true,
            ids: [
                "request/transfer-encoding / Parsing and setting flag / Chunk extensions quoting"
            ]
        ),
        Difference(
            reason: "We decode no transfer coding but chunked (RFC 9112 §6.1: 501).",
            weRefuse: true,
            ids: [
                "request/transfer-encoding / POST with `chunked` as last transfer-encoding",
                "request/transfer-encoding / POST with `chunked` as last "
                    + "transfer-encoding (multiple headers)",
            ]
        ),
        Difference(
            reason: "Bytes between responses are not a response (RFC 9112 "
                + "§9.2), empty lines included.",
            weRefuse: true,
            ids: [
                "response/connection / HTTP 304 with Content-Length",
                "response/connection / HTTP 100 first, then 400",
                "response/pipelining / ",
                "response/sample / Response starting with CRLF",
            ]
        ),
        Difference(
            reason: "A bare LF may end a line of a response's head (RFC 9112 "
                + "§2.2); it is never sent on.",
            weRefuse: false,
            ids: [
                "response/invalid / Invalid space after start line / Only LFs present",
                "response/invalid / Invalid space after start line / Only LFs present and no body",
                "response/sample / No carriage ret",
            ]
        ),
        Difference(
            reason: "Servers pad chunk sizes with spaces; we write sizes anew.",
            weRefuse: false,
            ids: [
                "response/transfer-encoding / "
            ]
        ),
    ]
}
