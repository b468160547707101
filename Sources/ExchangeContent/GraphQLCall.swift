public import ProxydHTTPModel
public import ProxydParameterCoding

/// One GraphQL request with its document and variables, parsed from a captured request on demand.
public struct GraphQLCall: Sendable, Hashable {
    public var operation: GraphQLOperation
    /// The document as sent; nil if the server identifies it by a hash.
    public var document: String?
    public var persistedHash: String?
    public var variables: JSONValue?

    /// The GraphQL requests, several for a batch; empty if it is not GraphQL.
    public static func all(in request: Request) -> [GraphQLCall] {
        let query = request.url?.query.map { BodyContent.pairs(Array($0), ByteText()) } ?? []
        if let call = GraphQLCall(pairs: query) { return [call] }
        return all(in: BodyContent(request.body, request.head?.fields))
    }

    public static func all(in content: BodyContent) -> [GraphQLCall] {
        if let form = content.form { return GraphQLCall(pairs: form).map { [$0] } ?? [] }
        if let json = content.json { return all(in: json) }
        if let upload = content.uploadedRequests { return all(in: upload) }
        let operation = GraphQLRequest.operation(
            ofBody: content.bytes.span, contentType: content.contentType)
        return operation.map {
            [GraphQLCall(operation: $0, document: String(decoding: content.bytes, as: UTF8.self))]
        } ?? []
    }

    private static func all(in json: JSONValue) -> [GraphQLCall] {
        let requests = if case .array(let elements) = json { elements } else { [json] }
        return requests.prefix(callCountMax).compactMap(GraphQLCall.init(json:))
    }

    /// The maximum number of requests of a batch that are parsed.
    private static let callCountMax = 100

    private init(operation: GraphQLOperation, document: String) {
        self.operation = operation
        self.document = document
    }

    private init?(pairs: [(String, String?)]) {
        func value(_ name: String) -> String? { pairs.first { $0.0 == name }?.1 }
        func json(_ name: String) -> JSONValue? {
            value(name).flatMap { try? JSONReader().read(Array($0.utf8)) }
        }
        self.init(
            document: value("query"), name: value("operationName"), variables: json("variables"),
            extensions: json("extensions"))
    }

    private init?(json: JSONValue) {
        self.init(
            document: json["query"]?.text, name: json["operationName"]?.text,
            variables: json["variables"], extensions: json["extensions"])
    }

    private init?(document: String?, name: String?, variables: JSONValue?, extensions: JSONValue?) {
        let hash = extensions?["persistedQuery"]?["sha256Hash"]?.text
        let found = GraphQLRequest.operation(
            document: document, name: name, isPersisted: hash != nil)
        guard let found else { return nil }
        operation = found
        self.document = document
        persistedHash = hash
        self.variables = variables
    }
}

extension BodyContent {
    /// The requests of a GraphQL upload (graphql-multipart-request-spec); nil for other bodies.
    fileprivate var uploadedRequests: JSONValue? {
        guard case .multipartForm(let boundary) = kind else { return nil }
        var operations: [UInt8]?
        var encoding = PartTransferEncoding.none
        for event in MultipartEvent.all(in: bytes, boundary: boundary).events {
            switch event {
            case .part(let head):
                let isWanted = head.filename == nil && head.name == GraphQLRequest.uploadField
                if isWanted { (operations, encoding) = ([], head.transferEncoding) }
            case .data(let bytes): operations? += bytes
            case .partEnd:
                if let operations { return try? JSONReader().read(encoding.decoded(operations)) }
            case .end: break
            }
        }
        return nil
    }
}
