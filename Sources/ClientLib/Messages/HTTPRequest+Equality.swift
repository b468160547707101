internal import ProxydHTTPModel

extension HTTPRequest: Equatable, Hashable {
    /// Requests are equal if they ask a server for the same: names of fields are compared without
    /// case, fields of different names may be in any order, and boundaries of forms are ignored.
    /// Parameter warnings are ignored too.
    public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body
            && left.fields.valuesByName == right.fields.valuesByName
            && left.trailers?.valuesByName == right.trailers?.valuesByName
            && left.exactHead == right.exactHead && left.replayOf == right.replayOf
            && left.timeouts == right.timeouts
    }

    /// Hashes the parts that `==` compares byte for byte.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(body)
    }
}

extension HTTPBody: Equatable, Hashable {
    /// Bodies are equal if they send the same bytes. A stream is equal only to itself. Forms are
    /// compared by their parts and not by their boundary, which differs for each form.
    public static func == (left: HTTPBody, right: HTTPBody) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.bytes(let left), .bytes(let right)): left == right
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

    /// Hashes the parts that can be hashed quickly.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .bytes(let bytes): hasher.combine(bytes)
        case .file(let path): hasher.combine(path)
        case .stream(let stream): hasher.combine(stream.byteCount)
        case .multipart(let form, _): hasher.combine(form.parts)
        }
    }
}

extension HeaderFields {
    /// The values of each name, in order; names are in lower case.
    fileprivate var valuesByName: [String: [String]] {
        Dictionary(pairs.map { ($0.name.lowercased(), [$0.value]) }, uniquingKeysWith: +)
    }
}
