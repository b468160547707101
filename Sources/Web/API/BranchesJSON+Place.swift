internal import ProxydCaptureModel
internal import ProxydStoreAnswers
internal import ProxydWebServer

extension BranchesJSON {
    /// The place that the parameters `server` and `folder` name; all servers without `server`.
    static func place(_ request: WebRequest) throws(WebProblem) -> PathPlace {
        guard let text = request.parameter("server") else { return .everything }
        guard let server = ServerText(text)?.server else {
            throw WebProblem(400, "server must be the name of a branch: SCHEME://HOST:PORT")
        }
        let folder = request.parameter("folder") ?? ""
        return PathPlace(server: server, folder: folder == "/" ? "" : folder)
    }
}
