internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Serving the proxy's own pages.
extension HTTP1ServerConnection {
    /// Decides where a request goes. One that names no server may go to the host in its Host field.
    func resolve(_ head: borrowing RequestHead) throws(WireError) -> RequestDestination {
        guard worker.configuration.forwardsToHost else {
            return try EffectiveTarget.resolve(head, via: destination.receiver)
        }
        let resolved = try EffectiveTarget.resolve(head, via: destination.receiver)
        guard case .proxyItself = resolved,
            let url = EffectiveTarget.urlOfHost(head)
        else { return resolved }
        return .forward(url)
    }

    /// Answers a request for one of the proxy's own pages.
    func answerPage(
        _ head: RequestHead, path: String, body: BodyLength
    ) {
        guard PageAccess.isAllowed(head, ownHostNames: worker.configuration.ownHostNames) else {
            return answerLocally(
                .pageRefused, to: head, tap: openTap(head), failure: .pageRefused)
        }
        let isPersistent = head.isPersistent && body == .none && !isStopping
        let response = worker.pages.answer(
            method: head.method, path: path,
            authority: PageAccess.authority(
                head, on: connection, worker.configuration.ownHostNames))
        stream.write(
            response.bytes(requestMethod: head.method, isPersistent: isPersistent).span)
        if isPersistent { becomeIdle() } else { close() }
    }
}
