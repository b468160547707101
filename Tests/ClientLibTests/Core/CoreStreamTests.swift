import ClientLib
import Testing

struct CoreStreamTests {
    @Test func `pieces are handed on as they come, and the end behind them`() async throws {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, Array("h\u{E9}llo".utf8))
        }
        let seen = Collector<String>()
        let (ended, end) = AsyncStream.makeStream(of: ClientError?.self)
        let request = Session.default.streamRequest(server.url).responseStreamString { stream in
            if let text = stream.value { seen.add(text) }
            if let completion = stream.completion { end.yield(completion.error) }
        }
        for await error in ended {
            #expect(error == nil)
            break
        }
        #expect(seen.all.joined() == "h\u{E9}llo")
        #expect(request.isFinished)
    }

    @Test func `whoever is told of the end finds the request finished`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, Array("a".utf8)) }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let data = Session.default.request(server.url)
        data.response { _ in answer.yield(data.isFinished) }
        let stream = Session.default.streamRequest(server.url)
        stream.responseStreamString { piece in
            if piece.completion != nil { answer.yield(stream.isFinished) }
        }
        var seen: [Bool] = []
        for await isFinished in answers {
            seen.append(isFinished)
            if seen.count == 2 { break }
        }
        #expect(seen == [true, true])
    }

    @Test func `characters that are cut between pieces come whole`() {
        let serializer = StringStreamSerializer()
        var text = ""
        for octet in Array("a\u{E9}\u{4E00}\u{1F600}z".utf8) {
            text += serializer.serialize([octet]) ?? ""
        }
        #expect(text == "a\u{E9}\u{4E00}\u{1F600}z")
    }

    @Test func `a large stream is pulled in order and whole`() async throws {
        let body = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 >> 8) }
        let server = try ScriptedServer { _ in ScriptedServer.response(200, body) }
        var received: [UInt8] = []
        for try await piece in Session.default.streamRequest(server.url).streamingData() {
            received += piece
        }
        #expect(received == body)
    }

    @Test func `a stream that is left early cancels its request`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n012")]
        }
        let request = Session.default.streamRequest(server.url)
        for try await piece in request.streamingData() {
            #expect(piece == Array("012".utf8))
            break
        }
        #expect(request.isCancelled)
    }

    @Test func `a stream that breaks throws behind what came`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n012"), .close]
        }
        var received: [UInt8] = []
        await #expect {
            for try await piece in Session.default.streamRequest(server.url).streamingData() {
                received += piece
            }
        } throws: { error in
            (error as? ClientError)?.kind == .network(.closedEarly)
        }
        #expect(received == Array("012".utf8))
    }

    @Test func `the head can be looked at before the body, and refused`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")]
        }
        let response = await Session.default.request(server.url).onHTTPResponse { head in
            head.status == 200 ? .cancel : .allow
        }.serializingData().response
        #expect(response.error?.kind == .explicitlyCancelled)
        #expect(response.response?.status == 200)
    }
}
