import ProxydHTTPModel
import ProxydHTTPWire
import Testing

struct HTTP2ResponseHeadTests {
    /// The lengths that a head says in HTTP/2.
    private func lengths(_ status: Int, _ length: String, to method: HTTPMethod) -> [String] {
        let head = ResponseHead(
            status: status, reason: "", fields: HeaderFields([("Content-Length", length)]))
        return ForwardedResponse(head: head, body: .none).http2Head(to: method)
            .fields.values(named: "content-length")
    }

    @Test func `a nonzero Content-Length is removed from an HTTP/2 response with status 204`() {
        #expect(lengths(204, "5", to: .get) == [])
        #expect(lengths(204, "0", to: .get) == ["0"])
    }

    @Test func `Content-Length is kept in an HTTP/2 response with status 304 or to a HEAD request`()
    {
        #expect(lengths(304, "5", to: .get) == ["5"])
        #expect(lengths(200, "5", to: .head) == ["5"])
    }
}
