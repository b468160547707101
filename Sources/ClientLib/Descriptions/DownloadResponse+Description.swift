internal import FoundationEssentials
internal import ProxydHTTPModel

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result: `success(file:///tmp/a)`, `failure(…)`.
    public var description: String { ResponseText.result(result) }

    /// Request, response, file, durations and result, for debugging. Secrets are left out as in the
    /// `debugDescription` of a `DataResponse`.
    public var debugDescription: String {
        guard let request else { return "[Request]: None\n[Result]: \(description)" }
        var lines = [ResponseText.request(request)]
        lines.append(response.map(ResponseText.head) ?? "[Response]: None")
        lines.append("[File URL]: \(fileURL?.path(percentEncoded: false) ?? "None")")
        lines.append("[Resume Data]: \(resumeData.map { "\($0.byteCount) bytes" } ?? "None")")
        lines += ResponseText.durations(timeline)
        lines.append("[Result]: \(description)")
        return lines.joined(separator: "\n")
    }
}
