public import ProxydHTTPModel

extension ForwardedResponse {
    /// The head as it goes out on a stream of HTTP/2, in answer to a method, in the form in which
    /// such heads are recorded.
    public func http2Head(to method: HTTPMethod) -> ResponseHead {
        let isTunnel = Framing.isTunnel(status: head.status, to: method)
        let isBodiless = Framing.isBodiless(status: head.status, to: method)
        var text = TextSink()
        HTTP2HeadWriter.write(self, isBodiless: isBodiless && !isTunnel, to: &text)
        return (try? HTTP2HeadText.responseHead(text.octets)) ?? head
    }
}
