import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport

/// Sends octets through decoder, resolver and writer, as the proxy does.
enum Forwarding {
    /// What goes to the origin for a request, escaped, or the error's kind.
    static func request(
        _ text: String,
        via receiver: Receiver = .proxy,
        options: ForwardingOptions = ForwardingOptions()
    ) -> String {
        do throws(WireError) {
            let octets = WireText.octets(text)
            var decoder = RequestDecoder()
            var offset = 0
            guard case .head(let head, let body) = try decoder.decode(octets.span, from: &offset)
            else { return "no head" }
            guard case .forward(let url) = try EffectiveTarget.resolve(head, via: receiver)
            else { return "not forwarded" }
            var output: [UInt8] = []
            ForwardedRequestHead.write(
                head,
                url: url,
                body: body,
                options: options,
                into: &output
            )
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
        options: ForwardingOptions = ForwardingOptions()
    ) -> (text: String, body: BodyLength?) {
        do throws(WireError) {
            let octets = WireText.octets(text)
            var decoder = ResponseDecoder()
            decoder.expectResponse(toMethod: method)
            var offset = 0
            var head: ResponseHead
            var body: BodyLength
            switch try decoder.decode(octets.span, from: &offset) {
            case .head(let found, let length): (head, body) = (found, length)
            case .informational(let found): (head, body) = (found, .none)
            default: return ("no head", nil)
            }
            var output: [UInt8] = []
            ForwardedResponseHead.write(
                head,
                toVersion: version,
                requestMethod: method,
                body: &body,
                persistent: persistent,
                options: options,
                into: &output
            )
            return (readable(output), body)
        } catch {
            return ("\(error.kind)", nil)
        }
    }

    /// Octets as the text of a test: CRLF is a line end.
    private static func readable(_ octets: [UInt8]) -> String {
        WireText.escaped(octets).split(separator: "\\r\\n", omittingEmptySubsequences: false)
            .joined(separator: "\n")
    }
}
