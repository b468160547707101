internal import ProxydAgents
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydWebServer

/// `POST /mcp`: messages of agents, one per request. GET and DELETE, which would open a stream and
/// end a session, are answered 405: there are neither.
struct AgentRoutes: Sendable {
    let server: MCPServer

    func add(to router: inout WebRouter) {
        router.add(.post, "/mcp") { request in
            let type = request.fields["Content-Type"].flatMap(MediaType.init)
            guard type?.essence == "application/json" else {
                throw WebProblem(415, "the body must be application/json")
            }
            let cancellation = ReadCancellation()
            request.cancellation.onCancel { cancellation.cancel() }
            let answer = server.answer(
                post: request.body, request.fields, cancellation: cancellation)
            if answer.body.isEmpty { return WebResponse(status: answer.status) }
            return WebResponse(status: answer.status, type: "application/json", answer.body)
        }
    }
}
