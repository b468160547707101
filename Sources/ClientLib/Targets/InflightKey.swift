internal import HTTPModel
internal import ParameterCoding

/// What makes two requests the same, so that the second need not be sent.
struct InflightKey: Hashable {
    private enum Body: Hashable {
        case none
        case octets([UInt8])
        case file(path: String)
        /// Boundaries are left out: each form has its own.
        case form(parts: [MultipartPart], writesExtendedFilenames: Bool)
    }

    private let method: HTTPMethod
    private let url: RawURL
    private let fields: HeaderFields
    private let trailers: HeaderFields?
    private let exactHead: RequestHead?
    private let timeouts: Timeouts?
    private let body: Body

    /// A key; nil where requests cannot be compared: streams, and downloads, as each caller has a
    /// file of its own.
    init?(_ request: HTTPRequest, task: RequestTask) {
        if case .download = task.transfer { return nil }
        switch request.body {
        case .none: body = .none
        case .octets(let octets): body = .octets(octets)
        case .file(let path): body = .file(path: path)
        case .multipart(let form, let streams) where streams.isEmpty:
            body = .form(
                parts: form.parts, writesExtendedFilenames: form.writesExtendedFilenames)
        case .stream, .multipart: return nil
        }
        method = request.method
        url = request.url
        fields = request.fields
        trailers = request.trailers
        exactHead = request.exactHead
        timeouts = request.timeouts
    }
}
