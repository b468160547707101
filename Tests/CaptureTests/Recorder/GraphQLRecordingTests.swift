import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

/// Operations of GraphQL are found when they are recorded, however the request came.
@Suite struct GraphQLRecordingTests {
    private let store = TemporaryStore()
    private static let json = [("Content-Type", "application/json")]
    private static let query = Array(
        #"{"query": "query Basket { total }", "variables": {"a": 1}}"#.utf8)

    private func found(_ record: (Recorder) throws -> ExchangeID) throws -> [GraphQLOperation] {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let id = try record(recorder)
        try recorder.flush()
        return try #require(try store.reader().row(id)).graphQL
    }

    private static let basket = [GraphQLOperation(kind: .query, name: "Basket")]

    @Test func `a GraphQL operation is found in the JSON body of a short exchange`() throws {
        let found = try found {
            $0.recordSample("/graphql", method: "POST", fields: Self.json, requestBody: Self.query)
        }
        #expect(found == Self.basket)
        #expect(
            try store.sql("SELECT graphql_operation, graphql_type FROM exchanges")
                == ["Basket|query"])
        #expect(
            try store.sql("SELECT name, value FROM parameter ORDER BY position")
                == ["query|query Basket { total }", "variables.a|1"])
    }

    @Test
    func `GraphQL operations are found in a URL query, a JSON array and a plain GraphQL document`()
        throws
    {
        #expect(
            try found { $0.recordSample("/graphql?query=query+Basket+%7B+total+%7D") }
                == Self.basket)
        #expect(
            try found {
                $0.recordSample(
                    "/graphql", method: "POST", fields: Self.json,
                    requestBody: Array(
                        #"""
                        [{"query": "{ a }"}, {"operationName": "B",
                        "extensions": {"persistedQuery": {"sha256Hash": "x"}}}]
                        """#.utf8))
            } == [.init(kind: .query, name: nil), .init(kind: nil, name: "B")])
        #expect(
            try found {
                $0.recordSample(
                    "/graphql", method: "POST", fields: [("Content-Type", "application/graphql")],
                    requestBody: Array("query Basket { total }".utf8))
            } == Self.basket)
        #expect(
            try store.sql("SELECT graphql_operation, graphql_type FROM exchanges") == [
                "Basket|query", "\nB|query\n", "Basket|query",
            ])
    }

    @Test func `a GraphQL operation is found in a compressed body that arrives in pieces`() throws {
        let body = StoredGzip.encode(Self.query)
        let found = try found { recorder in
            let id = recorder.nextExchangeID()
            var first = Samples.begun(
                id, "/graphql", method: "POST", fields: Self.json + [("Content-Encoding", "gzip")])
            first.requestBody.append(Array(body.prefix(9)), total: 9)
            recorder.record(first)
            var second = Samples.later(id)
            second.requestBody.append(
                Array(body.dropFirst(9)), total: body.count, isComplete: true)
            recorder.record(second)
            recorder.record(Samples.later(id, .complete))
            return id
        }
        #expect(found == Self.basket)
    }

    @Test func `a GraphQL operation is found in a body declared as gzip that is not compressed`()
        throws
    {
        let found = try found {
            $0.recordSample(
                "/graphql", method: "POST", fields: Self.json + [("Content-Encoding", "gzip")],
                requestBody: Self.query)
        }
        #expect(found == Self.basket)
    }

    @Test func `a GraphQL operation is found in a multipart upload`() throws {
        let part = "--B\r\nContent-Disposition: form-data; name="
        let body =
            part + "operations\r\n\r\n" + String(decoding: Self.query, as: UTF8.self) + "\r\n"
            + part + "map\r\n\r\n{\"0\":[\"variables.f\"]}\r\n"
            + part + "0; filename=f\r\n\r\nx\r\n--B--\r\n"
        let found = try found {
            $0.recordSample(
                "/graphql", method: "POST",
                fields: [("Content-Type", "multipart/form-data; boundary=B")],
                requestBody: Array(body.utf8))
        }
        #expect(found == Self.basket)
    }

    @Test func `a GraphQL operation is found in an exchange with a long response body`() throws {
        let found = try found {
            $0.recordSample(
                "/graphql", method: "POST", fields: Self.json, requestBody: Self.query,
                responseBody: [UInt8](repeating: 1, count: 50_000))
        }
        #expect(found == Self.basket)
    }

    @Test
    func `no GraphQL operation is found in a JSON body that only resembles a GraphQL request`()
        throws
    {
        let found = try found {
            $0.recordSample(
                "/search?query=coffee", method: "POST", fields: Self.json,
                requestBody: Array(#"{"query": {"match": {"query": "{ a }"}}}"#.utf8))
        }
        #expect(found == [])
        #expect(
            try store.sql("SELECT graphql_operation, graphql_type FROM exchanges") == ["NULL|NULL"])
    }
}
