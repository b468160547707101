internal import ProxydHTTPModel
internal import ProxydParameterCoding

extension HTTPRequest {
    /// Says which type a form has, where nothing was said: adapters and whoever looks at the
    /// request see what is sent.
    ///
    /// `named` is what this said of the body before: said anew where another form is the body
    /// now, and taken away where the body is no form any more.
    /// - Returns: what it says of the body; nil where the type is the caller's own.
    mutating func nameContentType(insteadOf named: MultipartFormData? = nil) -> MultipartFormData? {
        guard exactHead == nil else { return nil }
        if let named, fields.value(.contentType) == named.contentType {
            if body.mayHold(named) { return named }
            guard case .multipart(let form, _) = body else {
                fields["Content-Type"] = nil
                return nil
            }
            fields["Content-Type"] = form.contentType
            return form
        }
        guard case .multipart(let form, _) = body, fields.first(.contentType) == nil else {
            return nil
        }
        fields.append(name: "Content-Type", value: form.contentType)
        return form
    }
}

extension HTTPBody {
    /// Whether this is the form, or may be what an adapter wrote of it: where the bytes cannot be
    /// looked at, whoever put them here has to name another type.
    fileprivate func mayHold(_ form: MultipartFormData) -> Bool {
        switch self {
        case .none: false
        case .octets(let octets): octets.starts(with: "--\(form.boundary.text)".utf8)
        case .stream, .file: true
        case .multipart(let other, _): other.boundary == form.boundary
        }
    }
}
