extension HTTPRequest {
    /// Says which type a form has, where nothing was said: adapters and whoever looks at the
    /// request see what is sent.
    mutating func nameContentType() {
        guard exactHead == nil, case .multipart(let form, _) = body else { return }
        fields.setIfAbsent(name: "Content-Type", value: form.contentType)
    }
}
