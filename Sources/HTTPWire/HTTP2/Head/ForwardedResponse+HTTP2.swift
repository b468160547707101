public import ProxydHTTPModel

extension ForwardedResponse {
    /// Returns the head as it is sent on an HTTP/2 stream in response to a method, in the form in
    /// which such heads are recorded.
    public func http2Head(to method: HTTPMethod) -> ResponseHead {
        let isTunnel = Framing.isTunnel(status: head.status, to: method)
        let isBodiless = Framing.isBodiless(status: head.status, to: method)
        var text = TextSink()
        HTTP2HeadWriter.write(self, isBodiless: isBodiless && !isTunnel, to: &text)
        return (try? HTTP2HeadText.responseHead(text.bytes)) ?? head
    }
}
