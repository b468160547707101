internal import Dispatch
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydRules

/// Answers requests with files, which are read on separate threads, so that a slow disk does not
/// block a loop.
final class FileServing: Sendable {
    private let queue = DispatchQueue(label: "proxyd.files", attributes: .concurrent)

    /// Answers a request from a mapping, on a loop.
    /// - Parameter done: Called with the answer; nil if there is no such file and the request is
    ///   forwarded.
    func answer(
        _ request: ForwardedRequest, from mapping: FileMapping, on loop: EventLoop,
        _ done: @escaping (RuleAnswer?) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        let (method, url) = (request.head.method, request.url)
        let fields = request.head.fields
        queue.async {
            let answer = FileServing.answer(method, url, fields, from: mapping)
            loop.execute { done.value(answer) }
        }
    }

    /// Returns the answer to a request, or nil if it is forwarded.
    static func answer(
        _ method: HTTPMethod, _ url: RawURL, _ fields: HeaderFields, from mapping: FileMapping
    ) -> RuleAnswer? {
        let opened = OpenedFile(url, in: mapping)
        if opened.find == .missing, mapping.missing == .forward { return nil }
        var extra = HeaderFields()
        for field in mapping.fields { extra.append(name: field.name, value: field.value) }
        let response = FileResponse(opened.find, to: method, url, fields, extra: extra)
        let range: Range<Int64>
        switch response.content {
        case .bytes(let bytes) where !bytes.isEmpty: range = bytes
        case .none, .bytes: return RuleAnswer(status: response.status, fields: response.fields)
        case .head(let byteCount):
            // No content follows: the field alone gives the length.
            var fields = response.fields
            fields.append(name: "Content-Length", value: String(byteCount))
            return RuleAnswer(status: response.status, fields: fields)
        }
        guard let body = opened.read(range) else {
            return RuleAnswer(
                status: 500, fields: HeaderFields([("Content-Type", "text/plain")]),
                body: Array(
                    "proxyd: the file of a rule cannot be read or is larger than 64 MiB\n".utf8))
        }
        return RuleAnswer(status: response.status, fields: response.fields, body: body)
    }
}
