internal import ProxydCurlCommand
public import ProxydRedaction
internal import ProxydHTTPModel
internal import ProxydParameterCoding

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
