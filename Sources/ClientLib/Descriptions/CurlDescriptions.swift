internal import ProxydCurlCommand
public import ProxydHTTPModel
internal import ProxydParameterCoding
public import ProxydRedaction
internal import Synchronization

extension ClientRequest {
    /// The request as a command for bash and dash, with the fields, cookies and credential that the
    /// session adds. Secrets are left out unless `redaction` is nil. Before the request is created,
    /// the text says that there is none.
    public func cURLDescription(redaction: Redaction? = Redaction()) -> String {
        let (made, sentDefaults) = core.read { ($0.lastRequest, $0.sentDefaults) }
        guard var request = made else { return CurlCommand.unavailableDescription }
        var options = CurlOptions(redaction: redaction, isHeadComplete: false)
        guard request.exactHead == nil else { return request.cURLDescription(options) }
        let configuration = core.host.configuration
        if request.fields.first(.authorization) == nil,
            case .password(let user, let password) = core.read(\.credential)
        {
            options.user = CurlUser(name: user, password: password)
        }
        // A request that was sent contains its cookies; the session's may have changed since.
        if sentDefaults == nil, request.fields.first(.cookie) == nil {
            options.cookies = configuration.cookieStorage?.fieldValue(for: request.url)
        }
        let left = configuration.headers.pairs.filter { name, _ in
            sentDefaults.map { $0[name] != nil } ?? true
        }
        for (name, value) in left { request.fields.setIfAbsent(name: name, value: value) }
        return request.cURLDescription(options)
    }

    /// Calls `handler` with `cURLDescription()` once the request is created: immediately if it
    /// already is, otherwise when its first attempt starts or it fails before that.
    @discardableResult
    public func cURLDescription(
        redaction: Redaction? = Redaction(), calling handler: @escaping @Sendable (String) -> Void
    ) -> Self {
        let once = Once()
        let tell: @Sendable (any ClientRequest) -> Void = { request in
            guard !once.isOver.exchange(true, ordering: .relaxed) else { return }
            handler(request.cURLDescription(redaction: redaction))
        }
        eventMonitor(
            ClosureEventMonitor { event, request in
                switch event {
                case .willSend, .didFinish: tell(request)
                default: break
                }
            })
        if request != nil || isFinished || isCancelled { tell(self) }
        return self
    }
}

private final class Once: Sendable { let isOver = Atomic<Bool>(false) }

extension HTTPRequest {
    /// The request as a command for bash and dash, without what a session would add. Secrets are
    /// left out unless `redaction` is nil.
    ///
    /// A body that is a stream, or a form with files or streams, is not included.
    public func cURLDescription(redaction: Redaction? = Redaction()) -> String {
        cURLDescription(CurlOptions(redaction: redaction, isHeadComplete: false))
    }

    func cURLDescription(_ options: CurlOptions) -> String {
        var (options, fields) = (options, fields)
        if let exactHead {
            fields = exactHead.fields
            options.isHeadComplete = true
        } else if case .multipart(let form, _) = body {
            fields.setIfAbsent(name: "Content-Type", value: form.contentType)
        }
        let command = CurlCommand(
            method: method, url: url, fields: fields, body: curlBody(options.redaction),
            options: options)
        return command?.description ?? CurlCommand.unavailableDescription
    }

    private func curlBody(_ redaction: Redaction?) -> CurlBody {
        let secrets = LogSecrets(redaction: redaction)
        switch body {
        case .none: return .none
        case .bytes(let bytes):
            return secrets.body(bytes, fields: fields).map { .bytes($0) } ?? .omitted
        case .file(let path): return .file(path: path)
        case .stream: return .omitted
        case .multipart(let form, _):
            return (try? secrets.form(form).encoded()).map { .bytes($0) } ?? .omitted
        }
    }
}

/// Removes secrets from logs and descriptions, or shows everything.
public struct LogSecrets: Sendable {
    /// What is hidden, or nil to show everything.
    public let redaction: Redaction?

    public init(redaction: Redaction?) { self.redaction = redaction }

    /// The URL without secrets in its user, path and query.
    public func url(_ url: RawURL) -> RawURL { redaction?.url(url) ?? url }

    /// A path, with its query as in a URL.
    public func path(_ path: String) -> String {
        guard let redaction else { return path }
        return ASCII.text(redaction.target(Array(path.utf8)))
    }

    public func text(_ text: String) -> String { redaction?.text(text) ?? text }

    public func fields(_ fields: HeaderFields) -> HeaderFields {
        redaction?.fields(fields) ?? fields
    }

    /// A body without secrets; nil if it cannot be searched for them, and must not be shown.
    public func body(_ bytes: [UInt8], fields: HeaderFields) -> [UInt8]? {
        guard let redaction else { return bytes }
        return redaction.body(bytes, fields: fields)
    }

    /// A form without the contents of parts with secret names; other parts as in `body`. Files and
    /// streams are unchanged, because they are not in memory.
    func form(_ form: MultipartFormData) -> MultipartFormData {
        guard let redaction else { return form }
        var shown = form
        shown.parts = form.parts.map { part in
            guard case .bytes(let bytes) = part.content else { return part }
            var shown = part
            let isHidden = part.name.map(redaction.hidesParameter) ?? false
            let fields = HeaderFields(part.contentType.map { [("Content-Type", $0)] } ?? [])
            let content = isHidden ? nil : redaction.body(bytes, fields: fields)
            shown.content = .bytes(content ?? Array(Redaction.placeholder.utf8))
            return shown
        }
        return shown
    }
}
