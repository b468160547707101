internal import ProxydHTTPModel

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result: `success("text")`, `success(5 bytes)`, `failure(…)`.
    public var description: String { ResponseText.result(result) }

    /// Request, response, durations and result, for debugging. Secrets in header fields, the URL,
    /// forms and JSON are left out as in `cURLDescription()`, but not in the value; bodies are
    /// shown if they are short text.
    public var debugDescription: String {
        guard let request else { return "[Request]: None\n[Result]: \(description)" }
        var lines = [ResponseText.request(request)]
        if let response {
            lines.append(ResponseText.head(response))
            lines.append(ResponseText.body(data ?? [], fields: response.fields))
        } else {
            lines.append("[Response]: None")
        }
        lines += ResponseText.durations(timeline)
        lines.append("[Result]: \(description)")
        return lines.joined(separator: "\n")
    }
}
