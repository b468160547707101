internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A body in the form that is compared: JSON by its values, forms and multipart forms by their
/// fields, regardless of order and spelling, and anything else byte for byte.
enum MockBody {
    /// The body is too large to be compared.
    case unknown
    case empty
    case json(JSONValue)
    case form([UInt8])
    case parts([Part])
    case bytes([UInt8])

    struct Part {
        let head: MultipartPartHead
        /// The content of the part, with its transfer encoding removed.
        let content: [UInt8]
    }

    init(_ request: MockRequest) {
        guard let body = request.body else {
            self = .unknown
            return
        }
        let type = request.fields["Content-Type"].flatMap { MediaType($0) }
        switch BodyKind.detect(contentType: type, bytes: body.span) {
        case .empty: self = .empty
        case .json:
            let text = BodyText(body.span, contentType: type).utf8(of: body)
            self = (try? JSONReader().read(text)).map { .json($0) } ?? .bytes(body)
        case .form: self = .form(body)
        case .multipartForm(let boundary), .multipart(let boundary):
            self = (try? MockBody.parts(of: body, boundary)).map { .parts($0) } ?? .bytes(body)
        default: self = .bytes(body)
        }
    }

    private static func parts(
        of body: [UInt8], _ boundary: [UInt8]
    ) throws(MultipartError) -> [Part] {
        var decoder = try MultipartDecoder(boundary: boundary)
        var events: [MultipartEvent] = []
        try decoder.receive(body.span, into: &events)
        decoder.finish(into: &events)
        var parts: [Part] = []
        var head: MultipartPartHead?
        var content: [UInt8] = []
        for event in events {
            switch event {
            case .part(let next):
                head = next
                content = []
            case .data(let bytes): content += bytes
            case .partEnd:
                guard let head else { continue }
                parts.append(Part(head: head, content: head.transferEncoding.decoded(content)))
            case .end: break
            }
        }
        return parts
    }

    /// Hashes the body; bodies of different kinds have different hashes.
    func hash(_ matching: MockMatching) -> UInt64 {
        let (kind, content): (UInt64, UInt64) =
            switch self {
            case .empty: (0, 0)
            case .unknown: (5, 0)
            case .json(let value): (1, MockBody.hash(value.leavingOut(matching.ignoredJSON)))
            case .form(let bytes): (2, MockKey.pairs(bytes, without: matching.ignoredForm))
            case .parts(let parts):
                (3, MockBody.hash(parts, without: matching.ignoredForm))
            case .bytes(let bytes): (4, MockHash.of { $0.combine(bytes) })
            }
        return MockHash.of { hash in
            hash.combine(kind)
            hash.combine(content)
        }
    }

    private static func hash(_ parts: [Part], without ignored: Set<String>) -> UInt64 {
        MockHash.ofSet(
            parts.compactMap { part in
                let isIgnored = part.head.name.map(ignored.contains) ?? false
                return isIgnored ? nil : MockBody.hash(part)
            })
    }

    private static func hash(_ part: Part) -> UInt64 {
        MockHash.of { hash in
            for text in [part.head.name, part.head.filename, part.head.contentType] {
                hash.combine(text == nil ? 0 : 1)
                hash.combine(text ?? "")
            }
            hash.combine(part.content)
        }
    }

    static func hash(_ value: JSONValue) -> UInt64 {
        switch value {
        case .null: MockHash.of { $0.combine(0) }
        case .bool(let isTrue): MockHash.of { $0.combine(isTrue ? 2 : 1) }
        case .number(let text):
            MockHash.of { hash in
                hash.combine(3)
                hash.combine(MockNumber.normalised(text))
            }
        case .string(let text):
            MockHash.of { hash in
                hash.combine(4)
                hash.combine(text)
            }
        case .array(let elements):
            MockHash.of { hash in
                hash.combine(5)
                for element in elements { hash.combine(MockBody.hash(element)) }
            }
        case .object(let members):
            MockHash.ofSet(
                members.map { member in
                    MockHash.of { hash in
                        hash.combine(member.name)
                        hash.combine(MockBody.hash(member.value))
                    }
                })
        }
    }
}

extension JSONValue {
    /// The value without the values at these paths; paths that do not exist are ignored.
    func leavingOut(_ paths: [JSONValuePath]) -> JSONValue {
        paths.reduce(self) { value, path in (try? value.removing(at: path)) ?? value }
    }
}
