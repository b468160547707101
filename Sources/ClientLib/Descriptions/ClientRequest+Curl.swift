public import ProxydCurlCommand
internal import ProxydHTTPModel
internal import Synchronization

extension ClientRequest {
    /// The request as a command that bash and dash run, with the fields, cookies and credential
    /// that the session adds. Secrets are left out unless `redaction` is nil. Before the request
    /// is made it says that there is none.
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
        // What was sent holds its cookies; the session may have got others since.
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

    /// Calls `handler` with `cURLDescription()` once the request is made: at once where it is, else
    /// when its first attempt begins or it fails before that.
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

/// Something that happens once.
private final class Once: Sendable {
    let isOver = Atomic<Bool>(false)
}
