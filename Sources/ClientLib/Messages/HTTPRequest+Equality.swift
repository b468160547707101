internal import ProxydHTTPModel

extension HTTPRequest: Equatable, Hashable {
    /// Equal where a server is asked for the same: the names of fields in any case, fields of
    /// different names in any order, forms whatever their boundary. What was noted about the
    /// parameters does not matter.
    public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body
            && left.fields.valuesByName == right.fields.valuesByName
            && left.trailers?.valuesByName == right.trailers?.valuesByName
            && left.exactHead == right.exactHead && left.replayOf == right.replayOf
            && left.timeouts == right.timeouts
    }

    /// Hashes what of it `==` compares byte for byte.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(body)
    }
}

extension HTTPBody: Equatable, Hashable {
    /// Equal where the same is sent. A stream is equal to itself only; of forms the parts are
    /// compared, and not the boundary, which each form has for itself.
    public static func == (left: HTTPBody, right: HTTPBody) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.octets(let left), .octets(let right)): left == right
        case (.file(let left), .file(let right)): left == right
        case (.stream(let left), .stream(let right)): left.isSame(as: right)
        case (.multipart(let left, let leftStreams), .multipart(let right, let rightStreams)):
            left.parts == right.parts
                && left.writesExtendedFilenames == right.writesExtendedFilenames
                && leftStreams.count == rightStreams.count
                && leftStreams.allSatisfy { id, stream in
                    rightStreams[id].map { stream.isSame(as: $0) } ?? false
                }
        default: false
        }
    }

    /// Hashes what of it does not take long.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .octets(let octets): hasher.combine(octets)
        case .file(let path): hasher.combine(path)
        case .stream(let stream): hasher.combine(stream.byteCount)
        case .multipart(let form, _): hasher.combine(form.parts)
        }
    }
}

extension HeaderFields {
    /// The values of each name, in their order; names in lower case.
    fileprivate var valuesByName: [String: [String]] {
        Dictionary(pairs.map { ($0.name.lowercased(), [$0.value]) }, uniquingKeysWith: +)
    }
}
