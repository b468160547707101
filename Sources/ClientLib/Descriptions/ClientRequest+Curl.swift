internal import ProxydCurlCommand
public import ProxydRedaction
internal import ProxydHTTPModel
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
        for (name, value) in left {
            request.fields.setIfAbsent(name: name, value: value)
        }
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

/// Runs an action only once.
private final class Once: Sendable {
    let isOver = Atomic<Bool>(false)
}
