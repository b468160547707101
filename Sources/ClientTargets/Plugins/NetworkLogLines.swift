internal import ClientLib
internal import ProxydHTTPModel

/// Formats the entries of a network logger.
struct NetworkLogLines {
    private let configuration: NetworkLoggerConfiguration
    private let target: any TargetType
    private let secrets: LogSecrets

    init(_ configuration: NetworkLoggerConfiguration, target: any TargetType) {
        self.configuration = configuration
        self.target = target
        secrets = LogSecrets(redaction: configuration.redaction)
    }

    func request(_ sent: PluginRequest) -> [String] {
        let (options, request) = (configuration.logOptions, sent.request)
        if options.contains(.formatRequestAscURL) { return [entry("Request", curl(request))] }
        var entries = [entry("Request", url(request))]
        if options.contains(.requestHeaders) {
            entries.append(entry("Request Headers", fields(request.fields)))
        }
        if options.contains(.requestBody), let text = body(request) {
            entries.append(entry("Request Body", text))
        }
        if options.contains(.requestMethod) {
            entries.append(entry("HTTP Request Method", request.method.rawValue))
        }
        return entries
    }

    func response(_ result: Result<TargetResponse, ClientError>) -> [String] {
        let response = Self.response(of: result)
        var entries: [String] = []
        var bodyOption = NetworkLoggerConfiguration.LogOptions.successResponseBody
        if case .failure(let error) = result {
            entries.append(entry("Error", message(error)))
            bodyOption = .errorResponseBody
        }
        guard let response else { return entries }
        entries.append(entry("Response", head(response)))
        if configuration.logOptions.contains(bodyOption) {
            let text = text(
                response.data, response.response.fields, configuration.formatter.responseData)
            entries.append(entry("Response Body", text))
        }
        return entries
    }

    /// A line such as `GET https://a.test/b: 200, 12 bytes, 0.5 seconds`.
    func oneLine(_ result: Result<TargetResponse, ClientError>) -> String {
        var parts: [String] = []
        let response = Self.response(of: result)
        if let response {
            parts += ["\(response.statusCode)", "\(response.data.count) bytes"]
            parts.append("\(response.timeline.requestDuration)")
        }
        if case .failure(let error) = result { parts.append(message(error)) }
        let sent = response?.request.map { "\($0.method) \(url($0))" }
        let asked =
            sent ?? "\(target.method) \(secrets.url(target.baseURL))\(secrets.path(target.path))"
        return entry("Exchange", "\(asked): \(parts.joined(separator: ", "))")
    }

    // MARK: Parts

    private static func response(
        of result: Result<TargetResponse, ClientError>
    ) -> TargetResponse? {
        switch result {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }

    /// An underlying error may quote secrets, so it is left out.
    private func message(_ error: ClientError) -> String {
        "\(error.fault.rawValue) \(error.phase.rawValue): \(error.message)"
    }

    private func entry(_ identifier: String, _ message: String) -> String {
        configuration.formatter.entry(identifier, message, target)
    }

    private func url(_ request: HTTPRequest) -> String { secrets.url(request.url).description }

    private func head(_ response: TargetResponse) -> String {
        let line = "\(response.statusCode) \(response.response.reason)"
        return "\(line) \(fields(response.response.fields))"
    }

    private func fields(_ fields: HeaderFields) -> String {
        let shown = secrets.fields(fields).pairs.map { "\($0.name): \($0.value)" }
        return "[\(shown.joined(separator: ", "))]"
    }

    private func body(_ request: HTTPRequest) -> String? {
        switch request.body {
        case .none: return nil
        case .bytes(let bytes):
            return text(bytes, request.fields, configuration.formatter.requestData)
        case .file(let path): return "file \(path)"
        case .stream: return "stream"
        case .multipart(let form, _): return "form of \(form.parts.count) parts"
        }
    }

    /// A body as text; how long it is, if it cannot be searched for secrets.
    private func text(
        _ bytes: [UInt8], _ fields: HeaderFields,
        _ format: NetworkLoggerConfiguration.Formatter.DataClosure
    ) -> String {
        secrets.body(bytes, fields: fields).map(format)
            ?? "\(bytes.count) bytes, which cannot be searched for secrets"
    }

    private func curl(_ request: HTTPRequest) -> String {
        let body: CurlBody =
            switch request.body {
            case .none: .none
            case .bytes(let bytes): .bytes(bytes)
            case .file(let path): .file(path: path)
            case .stream, .multipart: .omitted
            }
        let options = CurlOptions(redaction: configuration.redaction, isHeadComplete: false)
        let command = CurlCommand(
            method: request.method, url: request.url, fields: request.fields, body: body,
            options: options)
        return command?.description ?? CurlCommand.unavailableDescription
    }
}
