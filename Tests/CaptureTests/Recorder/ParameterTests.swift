import Capture
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

@Suite struct `Parameters in the store` {
    let store = TemporaryStore()

    private func parameters(
        _ recorder: Recorder, _ id: ExchangeID
    ) throws -> [ExtractedParameter] {
        try recorder.flush()
        return try store.reader().parameters(of: id)
    }

    @Test func `query parameters are stored decoded, and a name without = has no value`() throws {
        let recorder = try store.recorder()
        let id = recorder.recordSample("/s?q=caf%C3%A9+x&tags[]=a&tags[]=b&flag")
        #expect(
            try parameters(recorder, id) == [
                .init(source: .query, name: "q", value: "café x"),
                .init(source: .query, name: "tags[]", value: "a"),
                .init(source: .query, name: "tags[]", value: "b"),
                .init(source: .query, name: "flag", value: nil),
            ])
        #expect(
            try store.sql("SELECT value FROM parameter WHERE name = 'tags[]' ORDER BY position")
                == ["a", "b"])
        recorder.stop()
    }

    @Test func `a NUL in a parameter's name or value does not truncate it`() throws {
        let recorder = try store.recorder()
        let id = recorder.recordSample("/s?a%00b=c%00d")
        #expect(
            try parameters(recorder, id) == [
                .init(source: .query, name: "a\0b", value: "c\0d")
            ])
        recorder.stop()
    }

    @Test func `parameters of a query that is not UTF-8 are decoded from its original bytes`()
        throws
    {
        let recorder = try store.recorder()
        let query = Array("q=caf".utf8) + [0xE9] + Array("&p=%25".utf8)
        var update = Samples.complete(recorder.nextExchangeID())
        update.url = RawURL(
            scheme: "http", host: "example.test", port: 80,
            origin: Array("/".utf8) + [0xFF, 0x3F] + query)
        recorder.record(update)
        let nothing: [UInt8] = []
        #expect(
            try parameters(recorder, update.id)
                == ParameterExtractor.extract(
                    query: query.span, contentType: nil, body: nothing.span))
        let columns = try store.sql("SELECT path || '?' || query FROM exchange")
        #expect(columns == ["/%FF?q=caf%E9&p=%25"])
        recorder.stop()
    }

    @Test(arguments: [7, 8, 9, 16, 33])
    func `all parameters of a query are stored in order, however many there are`(count: Int) throws
    {
        let recorder = try store.recorder()
        let query = (0..<count).map { "k\($0)=v\($0)" }.joined(separator: "&")
        let id = recorder.recordSample("/?" + query)
        #expect(
            try parameters(recorder, id)
                == (0..<count).map { .init(source: .query, name: "k\($0)", value: "v\($0)") })
        recorder.stop()
    }

    @Test
    func `query and form parameters of one request are stored with their source, query or form`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.recordSample(
            "/login?x=1", method: "POST",
            fields: [("Content-Type", "application/x-www-form-urlencoded")],
            requestBody: Array("user=alice&token=x%2By".utf8))
        #expect(
            try parameters(recorder, id) == [
                .init(source: .query, name: "x", value: "1"),
                .init(source: .form, name: "user", value: "alice"),
                .init(source: .form, name: "token", value: "x+y"),
            ])
        recorder.stop()
    }

    @Test func `parameters of a JSON body that arrives in pieces are stored when it is complete`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        recorder.record(
            Samples.begun(id, method: "POST", fields: [("Content-Type", "application/json")]))
        try recorder.flush()
        let body = Array(#"{"a":{"x":[1,2,{"y":"z"}]},"n":null}"#.utf8)
        var update = Samples.later(id)
        update.requestBody.append(Array(body[..<9]), total: 9)
        recorder.record(update)
        try recorder.flush()
        #expect(try parameters(recorder, id).isEmpty)
        update = Samples.later(id, .complete)
        update.requestBody.append(Array(body[9...]), total: body.count, isComplete: true)
        recorder.record(update)
        let found = try parameters(recorder, id)
        #expect(found.contains(.init(source: .json, name: "a.x[2].y", value: "z")))
        #expect(found.contains(.init(source: .json, name: "n", value: nil)))
        recorder.stop()
    }

    @Test func `no parameters are extracted from a body that is longer than the limit`() throws {
        var configuration = RecorderConfiguration.forTests
        configuration.parameterBodyByteCountMax = 10
        let recorder = try store.recorder(configuration)
        let id = recorder.recordSample(
            method: "POST", fields: [("Content-Type", "application/x-www-form-urlencoded")],
            requestBody: Array("user=alice&token=x".utf8))
        #expect(try parameters(recorder, id).isEmpty)
        recorder.stop()
    }
}
