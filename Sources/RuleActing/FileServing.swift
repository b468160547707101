internal import Dispatch
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules

/// Answers requests with files, which are read on separate threads, so that a slow disk does not
/// block a loop.
final class FileServing: Sendable {
    /// An answer, and the memory that it takes.
    struct Served {
        /// Nil if there is no such file and the request is forwarded.
        let answer: RuleAnswer?
        var share: ByteShare?
    }

    private let queue = DispatchQueue(label: "proxyd.files", attributes: .concurrent)

    /// Answers a request from a mapping, on a loop.
    /// - Parameter budget: The memory for all such answers.
    func answer(
        _ request: ForwardedRequest, from mapping: FileMapping, in budget: ByteBudget,
        on loop: EventLoop, _ done: @escaping (Served) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        let (method, url) = (request.head.method, request.url)
        let fields = request.head.fields
        queue.async {
            let served = FileServing.answer(method, url, fields, from: mapping, in: budget)
            loop.execute { done.value(served) }
        }
    }

    private static func answer(
        _ method: HTTPMethod, _ url: RawURL, _ fields: HeaderFields, from mapping: FileMapping,
        in budget: ByteBudget
    ) -> Served {
        let opened = OpenedFile(url, in: mapping)
        if opened.find == .missing, mapping.missing == .forward { return Served(answer: nil) }
        var extra = HeaderFields()
        for field in mapping.fields { extra.append(name: field.name, value: field.value) }
        let response = FileResponse(opened.find, to: method, url, fields, extra: extra)
        let range: Range<Int64>
        switch response.content {
        case .bytes(let bytes) where !bytes.isEmpty: range = bytes
        case .none, .bytes:
            return Served(answer: RuleAnswer(status: response.status, fields: response.fields))
        case .head(let byteCount):
            // No content follows: the field alone gives the length.
            var fields = response.fields
            fields.append(name: "Content-Length", value: String(byteCount))
            return Served(answer: RuleAnswer(status: response.status, fields: fields))
        }
        guard range.count <= OpenedFile.byteCountMax else { return Served(answer: .unreadableFile) }
        guard let share = budget.share(range.count) else { return Served(answer: .noMemory) }
        guard let body = opened.read(range) else { return Served(answer: .unreadableFile) }
        return Served(
            answer: RuleAnswer(status: response.status, fields: response.fields, body: body),
            share: share)
    }
}

extension RuleAnswer {
    fileprivate static let unreadableFile = RuleAnswer(
        status: 500, saying: "the file of a rule cannot be read or is larger than 64 MiB")

    /// The answer while other clients have not taken theirs.
    static let noMemory = RuleAnswer(
        status: 503,
        saying: "the answers of rules take 256 MiB already, which their clients have not read")

    private init(status: Int, saying text: String) {
        self.init(
            status: status, fields: HeaderFields([("Content-Type", "text/plain")]),
            body: Array("proxyd: \(text)\n".utf8))
    }
}
