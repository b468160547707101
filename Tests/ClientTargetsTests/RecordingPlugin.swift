import ClientLib
import ProxydClientTargets
import ProxydTestSupport

/// A plugin that notes what it is asked, and leaves its mark on requests and results.
struct RecordingPlugin: PluginType {
    let name: String
    let log: Collector<String>

    func prepare(_ request: HTTPRequest, target: any TargetType) async throws -> HTTPRequest {
        log.add("\(name) prepare")
        var request = request
        request.fields.add(name: "X-Plugin", value: name)
        return request
    }

    func willSend(_ request: PluginRequest, target: any TargetType) {
        let marks = request.request.fields.values(named: "X-Plugin").joined()
        log.add("\(name) willSend \(request.attempt) \(marks)")
    }

    func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType) {
        log.add("\(name) didReceive \(Self.text(result))")
    }

    func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError> {
        log.add("\(name) process \(Self.text(result))")
        return result.map { response in
            var response = response
            response.data += Array(name.utf8)
            return response
        }
    }

    static func text(_ result: Result<TargetResponse, ClientError>) -> String {
        switch result {
        case .success(let response): String(decoding: response.data, as: UTF8.self)
        case .failure(let error): String("\(error.kind)".prefix { $0 != "(" })
        }
    }
}
