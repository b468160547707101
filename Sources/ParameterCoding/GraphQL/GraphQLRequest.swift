/// Finds a request's GraphQL operations in its recorded parameters, without parsing it again.
public enum GraphQLRequest {
    /// The maximum number of requests of one batch that are examined.
    static let batchCountMax = 100

    /// The operations, one per request of a batch; empty if it is not GraphQL. Recognises `query`
    /// with a document and `extensions.persistedQuery`, in a query string, in JSON, in an array,
    /// and in the field `operations` of an upload (graphql-multipart-request-spec).
    public static func operations(in parameters: [ExtractedParameter]) -> [GraphQLOperation] {
        guard let upload = upload(in: parameters) else { return direct(in: parameters) }
        return direct(in: upload)
    }

    /// The leaves of the JSON in an upload's first field, which may have been cut.
    private static func upload(in parameters: [ExtractedParameter]) -> [ExtractedParameter]? {
        let operations = parameters.first { $0.source == .multipart && $0.name == uploadField }
        guard let json = operations?.value else { return nil }
        let found = leaves(Array(json.utf8))
        return direct(in: found).isEmpty ? leaves(closed(json)) : found
    }

    private static func leaves(_ json: [UInt8]) -> [ExtractedParameter] {
        let collector = JSONLeafCollector(ParameterCollector(limits: ExtractionLimits()))
        return JSONParser.parsePrefix(of: json.span, limits: JSONLimits(), into: collector)
            .handler.sink.parameters
    }

    /// JSON that was cut within a string, such as a long document, with the end of the string.
    private static func closed(_ json: String) -> [UInt8] {
        var bytes = Array(json.utf8)
        let backslash = UInt8(ascii: "\\")
        // The last escape may be incomplete.
        if let escape = bytes.suffix(6).lastIndex(of: backslash) { bytes.removeSubrange(escape...) }
        while bytes.last == backslash { bytes.removeLast() }
        return bytes + [UInt8(ascii: "\"")]
    }

    /// The field of an upload that contains its requests.
    public static let uploadField = "operations"

    private static func direct(in parameters: [ExtractedParameter]) -> [GraphQLOperation] {
        var requests: [Substring: Request] = [:]
        var order: [Substring] = []
        for parameter in parameters where parameter.source != .multipart {
            guard let value = parameter.value, let position = Position(parameter) else { continue }
            if requests[position.batch] == nil {
                guard order.count < batchCountMax else { continue }
                order.append(position.batch)
            }
            requests[position.batch, default: Request()].take(position.member, value)
        }
        return order.compactMap { requests[$0]?.operation }
    }

    /// The operation of a body that is a document, `application/graphql`; nil for other types.
    public static func operation(
        ofBody bytes: Span<UInt8>, contentType: String?
    ) -> GraphQLOperation? {
        guard isDocument(contentType) else { return nil }
        let document = bytes.withUnsafeBufferPointer { GraphQLDocument($0) }
        return document.operations.first
    }

    /// Whether a body of this type is a document, as opposed to JSON that contains one.
    static func isDocument(_ contentType: String?) -> Bool {
        contentType.flatMap(MediaType.init)?.essence == "application/graphql"
    }

    private struct Position {
        enum Member { case query, operationName, persistedQuery }

        /// `[0]` for the first request of a batch; empty if there is no batch.
        let batch: Substring
        let member: Member

        init?(_ parameter: ExtractedParameter) {
            var name = Substring(parameter.name)
            if parameter.source == .json, name.utf8.first == UInt8(ascii: "["),
                let end = name.firstIndex(of: "]")
            {
                batch = name[...end]
                name = name[name.index(after: end)...].drop { $0 == "." }
            } else {
                batch = ""
            }
            switch name {
            case "query": member = .query
            case "operationName": member = .operationName
            case "extensions.persistedQuery.sha256Hash": member = .persistedQuery
            // In a query string, extensions are a JSON text.
            case "extensions" where parameter.source == .query:
                guard parameter.value?.contains("\"persistedQuery\"") == true else { return nil }
                member = .persistedQuery
            default: return nil
            }
        }
    }

    private struct Request {
        private var document: String?
        private var name: String?
        private var isPersisted = false

        mutating func take(_ member: Position.Member, _ value: String) {
            switch member {
            case .query: document = document ?? value
            case .operationName: name = name ?? value
            case .persistedQuery: isPersisted = true
            }
        }

        var operation: GraphQLOperation? {
            GraphQLRequest.operation(document: document, name: name, isPersisted: isPersisted)
        }
    }

    /// The operation of a request, from its members; nil if it is not GraphQL.
    public static func operation(
        document: String?, name: String?, isPersisted: Bool
    ) -> GraphQLOperation? {
        if let document, !document.isEmpty {
            return GraphQLDocument(document.utf8).operation(named: name)
        }
        guard isPersisted else { return nil }
        let known = name.flatMap { GraphQLOperation.isName($0) ? $0 : nil }
        return GraphQLOperation(kind: nil, name: known)
    }
}
