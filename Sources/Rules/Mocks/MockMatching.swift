internal import ProxydContentCoding
public import ProxydHTTPModel
public import ProxydParameterCoding

/// Decides which requests are equal for mocks.
///
/// Method, scheme, host, port and path are compared, the pairs of the query in any order, and the
/// body according to its kind. Header fields are compared only if they are named.
public struct MockMatching: Sendable, Hashable {
    /// An invalid entry in one of the lists.
    public struct Mistake: Error, Sendable, Hashable {
        public enum List: Sendable, Hashable {
            /// The list of header fields that are compared.
            case match
            case ignore
        }

        public let list: List
        /// The index of the entry, from 0.
        public let index: Int
        public let message: String
    }

    /// What is compared if a rule says nothing else.
    package static let standard = MockMatching(
        headers: [], ignoredQuery: [], ignoredForm: [], ignoredJSON: [])

    /// The names of the header fields that are compared, as they were written.
    public let headers: [String]
    public let ignoredQuery: Set<String>
    /// The names of form fields and of multipart form parts that are ignored.
    public let ignoredForm: Set<String>
    public let ignoredJSON: [JSONValuePath]

    /// Parses the two lists of a rule.
    /// - Parameters:
    ///   - match: `header:NAME` for each field that is compared.
    ///   - ignore: `query:NAME`, `form:NAME` and `json:PATH` for values that are ignored.
    /// - Throws: the first invalid entry.
    public init(match: [String] = [], ignore: [String] = []) throws(Mistake) {
        var headers: [String] = []
        for (index, entry) in match.enumerated() {
            guard let name = MockMatching.rest(of: entry, after: "header:"),
                name.utf8.allSatisfy(MockMatching.isToken)
            else {
                let message = "cannot match \(entry): write header:NAME"
                throw Mistake(list: .match, index: index, message: message)
            }
            headers.append(name)
        }
        var (query, form, json): (Set<String>, Set<String>, [JSONValuePath]) = ([], [], [])
        for (index, entry) in ignore.enumerated() {
            if let name = MockMatching.rest(of: entry, after: "query:") {
                query.insert(name)
            } else if let name = MockMatching.rest(of: entry, after: "form:") {
                form.insert(name)
            } else if let text = MockMatching.rest(of: entry, after: "json:") {
                guard let path = try? JSONValuePath(text) else {
                    let message = "\(text) is not a JSON path such as user.tags[0]"
                    throw Mistake(list: .ignore, index: index, message: message)
                }
                json.append(path)
            } else {
                let message =
                    "cannot ignore \(entry): write " + "query:NAME, form:NAME or json:PATH"
                throw Mistake(list: .ignore, index: index, message: message)
            }
        }
        self.headers = headers
        ignoredQuery = query
        ignoredForm = form
        ignoredJSON = json
    }

    private init(
        headers: [String], ignoredQuery: Set<String>, ignoredForm: Set<String>,
        ignoredJSON: [JSONValuePath]
    ) {
        self.headers = headers
        self.ignoredQuery = ignoredQuery
        self.ignoredForm = ignoredForm
        self.ignoredJSON = ignoredJSON
    }

    private static func rest(of entry: String, after prefix: String) -> String? {
        guard entry.hasPrefix(prefix) else { return nil }
        let rest = String(entry.dropFirst(prefix.count))
        return rest.isEmpty ? nil : rest
    }

    /// Whether a byte is allowed in a field name (RFC 9110 §5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// A request in the form that mocks compare: captured, or to be answered.
public struct MockRequest: Sendable {
    public let method: HTTPMethod
    public let url: RawURL
    public let fields: HeaderFields
    /// The content with its content codings removed; nil if it is too large to be kept, and
    /// therefore equal to no other.
    public let body: [UInt8]?

    public init(method: HTTPMethod, url: RawURL, fields: HeaderFields, body: [UInt8]? = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// The body in the form that is compared: with content codings removed, if possible.
    static func content(of bytes: [UInt8], _ fields: HeaderFields) -> [UInt8] {
        let decoded = BodyEditor.decoded(bytes, fields)
        return decoded.failure == nil ? decoded.bytes : bytes
    }

    /// Returns the same request for another server.
    func at(_ origin: MockOrigin) -> MockRequest {
        let url = RawURL(
            scheme: origin.scheme, host: origin.host, port: origin.port, origin: url.origin)
        return MockRequest(method: method, url: url, fields: fields, body: body)
    }
}

/// The compared parts of a request, as hashes: bodies are not kept.
package struct MockKey: Hashable, Sendable {
    /// The hash of method, scheme, host, port and path.
    let place: UInt64
    let query: UInt64
    let body: UInt64
    /// The hash of all compared header fields.
    let headers: UInt64

    /// The hash of each compared header field, from which `headers` is computed.
    static func headerHashes(of request: MockRequest, _ matching: MockMatching) -> [UInt64] {
        matching.headers.map { name in
            MockHash.of { hash in
                for value in request.fields.values(named: name) { hash.combine(value) }
            }
        }
    }

    package init(_ request: MockRequest, _ matching: MockMatching = .standard) {
        self.init(request, matching, headerHashes: MockKey.headerHashes(of: request, matching))
    }

    init(_ request: MockRequest, _ matching: MockMatching, headerHashes: [UInt64]) {
        place = MockKey.place(of: request)
        query = MockKey.pairs(Array(request.url.query ?? []), without: matching.ignoredQuery)
        body = MockBody(request).hash(matching)
        headers = MockHash.of { hash in headerHashes.forEach { hash.combine($0) } }
    }

    static func place(of request: MockRequest) -> UInt64 {
        MockHash.of { hash in
            hash.combine(request.method.rawValue)
            hash.combine(request.url.scheme)
            hash.combine(request.url.host.utf8.map(ASCII.lowercased))
            hash.combine(UInt64(request.url.port))
            hash.combine(MockKey.normalised(request.url.path))
        }
    }

    /// Hashes the pairs of a query or of a form, in any order. `a` and `a=` are equal.
    static func pairs(_ bytes: [UInt8], without ignored: Set<String>) -> UInt64 {
        let pairs = QueryDecoder().decode(bytes).pairs
        return MockHash.ofSet(
            pairs.compactMap { pair in
                let isEmpty = pair.name.isEmpty && pair.value == nil
                guard !isEmpty, !ignored.contains(pair.name) else { return nil }
                return MockHash.of { hash in
                    hash.combine(pair.name)
                    hash.combine(pair.value ?? "")
                }
            })
    }

    /// Normalizes the escapes of a path (RFC 3986 §6.2.2): those of letters, digits and `-._~` are
    /// decoded, the others get upper-case digits.
    private static func normalised(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var normalised: [UInt8] = []
        var rest = path
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                normalised.append(byte)
                continue
            }
            if isUnreserved(value) {
                normalised.append(value)
            } else {
                normalised.append(byte)
                normalised += String(decoding: rest.prefix(2), as: UTF8.self).uppercased().utf8
            }
            rest = rest.dropFirst(2)
        }
        return normalised
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
    }
}

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
            case .parts(let parts): (3, MockBody.hash(parts, without: matching.ignoredForm))
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

/// Normalizes JSON numbers, so that different spellings are equal: `1`, `1.0` and `10e-1`.
package enum MockNumber {
    /// Returns the digits without leading and trailing zeros, and the power of ten; the unchanged
    /// text if it is not a number, or if its exponent is out of range.
    package static func normalised(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let exponentText = rest.dropFirst(mantissa.count + 1)
        guard let exponent = exponentText.isEmpty ? 0 : number(exponentText) else { return text }
        let halves = mantissa.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = halves.dropFirst().first ?? []
        var digits = Array((halves.first ?? []) + fraction)[...]
        while digits.first == UInt8(ascii: "0") { digits.removeFirst() }
        guard !digits.isEmpty else { return "0" }
        var power = exponent - fraction.count
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            power += 1
        }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + "e\(power)"
    }

    /// Parses an exponent that is small enough for later additions not to overflow.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard let number = Int(String(decoding: digits, as: UTF8.self)),
            (-(1 << 60)...(1 << 60)).contains(number)
        else { return nil }
        return number
    }
}

/// Computes 64-bit hashes of the compared values. The seed is random for each process: clients
/// cannot choose requests that collide with others.
struct MockHash {
    private var hasher = Hasher()

    mutating func combine(_ number: UInt64) { hasher.combine(number) }

    /// Combines the number of bytes and the bytes, so that neighbouring values stay separate.
    mutating func combine(_ bytes: some Collection<UInt8>) {
        hasher.combine(bytes.count)
        let isFed: Void? = bytes.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isFed == nil { for byte in bytes { hasher.combine(byte) } }
    }

    /// Combines the UTF-8 bytes of a text: canonically equivalent texts differ.
    mutating func combine(_ text: String) { combine(text.utf8) }

    func finish() -> UInt64 { UInt64(bitPattern: Int64(hasher.finalize())) }

    static func of(_ feed: (inout MockHash) -> Void) -> UInt64 {
        var hash = MockHash()
        feed(&hash)
        return hash.finish()
    }

    /// Hashes elements in any order: the sum of their hashes does not depend on it.
    static func ofSet(_ hashes: [UInt64]) -> UInt64 {
        of { hash in
            hash.combine(UInt64(hashes.count))
            hash.combine(hashes.reduce(0, &+))
        }
    }
}
