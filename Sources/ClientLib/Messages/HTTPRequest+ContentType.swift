internal import ProxydHTTPModel
internal import ProxydParameterCoding

extension HTTPRequest {
    /// Adds the `Content-Type` of a form if the request has none, so that adapters and other
    /// observers of the request see what is sent.
    ///
    /// `named` is the form whose type this method set before: the type is set again if the body is
    /// now another form, and removed if the body is no longer a form.
    /// - Returns: the form whose type is set, or nil if the type is the caller's own.
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
    /// Whether this is the form, or may be an adapter's encoding of it. If the bytes cannot be
    /// inspected, the code that put them here must set another type itself.
    fileprivate func mayHold(_ form: MultipartFormData) -> Bool {
        switch self {
        case .none: false
        case .bytes(let bytes): bytes.starts(with: "--\(form.boundary.text)".utf8)
        case .stream, .file: true
        case .multipart(let other, _): other.boundary == form.boundary
        }
    }
}
