import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport

/// Sends bytes through decoder, resolver and writer, as the proxy does.
enum Forwarding {
    /// What goes to the origin for a request, escaped, or the error's kind.
    static func request(
        _ text: String,
        via receiver: Receiver = .proxy,
        options: ForwardedRequest.Options = ForwardedRequest.Options()
    ) -> String {
        do throws(WireError) {
            let bytes = WireText.bytes(text)
            var decoder = RequestDecoder()
            var offset = 0
            guard case .head(let head, let body) = try decoder.decode(bytes.span, from: &offset)
            else { return "no head" }
            guard case .forward(let url) = try EffectiveTarget.resolve(head, via: receiver)
            else { return "not forwarded" }
            var output: [UInt8] = []
            HTTP1HeadWriter.write(
                ForwardedRequest(head: head, url: url, body: body, options: options),
                into: &output)
            return readable(output)
        } catch {
            return "\(error.kind)"
        }
    }

    /// What goes to the client for a response, and how its body then ends.
    static func response(
        _ text: String,
        to method: HTTPMethod = .get,
        version: HTTPVersion = .http11,
        persistent: Bool = true,
        options: ForwardedResponse.Options = ForwardedResponse.Options()
    ) -> (text: String, body: BodyLength?) {
        do throws(WireError) {
            let bytes = WireText.bytes(text)
            var decoder = ResponseDecoder()
            decoder.expectResponse(toMethod: method)
            var offset = 0
            let head: ResponseHead
            let body: BodyLength
            switch try decoder.decode(bytes.span, from: &offset) {
            case .head(let found, let length): (head, body) = (found, length)
            case .informational(let found): (head, body) = (found, .none)
            default: return ("no head", nil)
            }
            var output: [UInt8] = []
            let client = HTTP1Recipient(
                version: version, requestMethod: method, isPersistent: persistent)
            HTTP1HeadWriter.write(
                ForwardedResponse(head: head, body: body, options: options), to: client,
                into: &output)
            return (readable(output), client.framing(of: body))
        } catch {
            return ("\(error.kind)", nil)
        }
    }

    /// Bytes as the text of a test: CRLF is a line end.
    private static func readable(_ bytes: [UInt8]) -> String {
        WireText.escaped(bytes).split(separator: "\\r\\n", omittingEmptySubsequences: false)
            .joined(separator: "\n")
    }
}
