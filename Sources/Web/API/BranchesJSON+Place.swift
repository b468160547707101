internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreAnswers
internal import ProxydWebServer

extension BranchesJSON {
    /// The place that the parameters `scheme`, `host`, `port` and `folder` name; all servers if
    /// there is no `host`. The parameters repeat what an entry of the kind `server` says.
    static func place(_ request: WebRequest) throws(WebProblem) -> PathPlace {
        guard let host = request.parameter("host") else { return .everything }
        let port = try request.number("port", in: 0...65_535)
        let server = ServerName(
            scheme: request.parameter("scheme"), host: host.isEmpty ? nil : host, port: port)
        return PathPlace(server: server, folder: request.parameter("folder") ?? "")
    }
}
