/// A request as captured or as it will be sent: head bytes, URL, body and trailers.
public struct Request: Sendable, Hashable {
    /// The absolute URL; nil for a malformed request whose URL could not be parsed.
    public var url: RawURL?
    /// The head as received from the client; nil if it could not be parsed.
    public var head: RequestHead?
    /// The head as it was sent to the server, if it differs from the received one in more than
    /// framing, connection fields, the version and the form of the target; nil otherwise.
    public var sentHead: RequestHead?
    /// How HPACK encoded the lines of a malformed HTTP/2 head, which is a `FieldList` then; nil if
    /// there is none.
    public var malformedCodings: [FieldCoding]?
    /// Whether the client's Host was forwarded although its absolute target named another host.
    public var keepsForeignHost = false
    /// The body without transfer coding.
    public var body: Body
    /// The body as it was sent to the server, if it differs; nil otherwise.
    public var sentBody: Body?
    /// Trailer fields (RFC 9110 §6.5), separate from the head's fields.
    public var trailers: HeaderFields?

    public init(
        url: RawURL?, head: RequestHead?, body: Body = Body(), trailers: HeaderFields? = nil
    ) {
        self.url = url
        self.head = head
        self.body = body
        self.trailers = trailers
    }

    public var method: HTTPMethod? { head?.method }
}

/// A response as captured: head bytes, body and trailers.
public struct Response: Sendable, Hashable {
    /// The final head as received from the server, or the proxy's own if it answered.
    public var head: ResponseHead
    /// The head as it was sent to the client, if it differs from the received one in more than
    /// framing, connection fields and the version; nil otherwise.
    public var sentHead: ResponseHead?
    /// The body without transfer coding, but with content coding.
    public var body: Body
    /// The body as it was sent to the client, if it differs; nil otherwise.
    public var sentBody: Body?
    /// Whether the client received nothing of it: a rule closed the connection, or the client left
    /// while the response was held.
    public var isWithheld = false
    /// Trailer fields (RFC 9110 §6.5), separate from the head's fields.
    public var trailers: HeaderFields?

    public init(head: ResponseHead, body: Body = Body(), trailers: HeaderFields? = nil) {
        self.head = head
        self.body = body
        self.trailers = trailers
    }

    /// The status code that was received; `delivered` has the one that was sent to the client.
    public var status: Int { head.status }

    /// Whether the client received something else, or nothing.
    public var isChanged: Bool { isWithheld || sentHead != nil || sentBody != nil }

    /// The response as the client received it; nil if it received nothing.
    public var delivered: Response? {
        guard !isWithheld else { return nil }
        var delivered = Response(head: sentHead ?? head, body: sentBody ?? body, trailers: trailers)
        if sentBody != nil { delivered.trailers = nil }
        return delivered
    }
}

/// A recorded message body: without transfer coding, but with content coding (RFC 9112 §7).
public struct Body: Sendable, Hashable {
    /// The largest byte count accepted from external data, a pebibyte: higher numbers are not
    /// plausible, and their sums might overflow.
    public static let byteCountMax: Int64 = 1 << 50

    /// The number of bytes that passed.
    public var byteCount: Int64
    /// The first `kept.count` bytes of the body, which are stored.
    public var kept: [UInt8]
    /// Whether the rest was not read, because the message was put aside: a rule answered instead.
    public var isAbandoned = false

    /// Creates a body of which only the beginning is stored.
    public init(byteCount: Int64, kept: [UInt8]) {
        self.byteCount = byteCount
        self.kept = kept
    }

    /// Creates a body that is stored completely.
    public init(_ bytes: [UInt8] = []) {
        self.init(byteCount: Int64(bytes.count), kept: bytes)
    }

    /// Whether bytes of the body are missing: they were not stored, or not even read.
    public var isTruncated: Bool { isAbandoned || byteCount > Int64(kept.count) }
}
